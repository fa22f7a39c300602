"""Find the language of a file by its content, where several languages share its ending.

For most of these endings, the first sign that is found decides. Includes have too many languages for that: the one with
signs on most lines is theirs. What has no sign has the language that the name has, or is text, in which code of all
languages is looked up.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from winnow_ci.languages.normalisation import as_utf8
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Callable

_SAMPLE = 1 << 14
"""Bytes of a file that are looked at."""
_LINES_OF_A_SIGN = 20
"""An include has a sign of its language on at least one line in this many."""


_sign = partial(compiled_on_use, flags=re.MULTILINE | re.VERBOSE)
# What Objective-C has not where it has no function: a comment of MATLAB or Octave, a statement, an assignment without
# a type. A call, which may be a macro there, says nothing.
_MATLAB = rb"""\A
    \s* (?: [A-Za-z]\w* (?:\([^()'\n]{0,200}\))? [ \t]* (?: ; [ \t]* )? \n \s* ){0,20}
    (?: % | \#[#\ !\n] (?! [ ]* (?:import|include|if|ifdef|ifndef|define|undef|pragma)\b )
    | [0-9]+ [ \t]* ;
    | (?:function|classdef|if|for|parfor|while|switch|try|global|persistent|import
        |clear|clearvars|clc|close|figure|format|hold|more|warning|pkg|load|addpath|rng)\b
    | \[ [^\]\n]{0,200} \] [ \t]* =
    | [A-Za-z]\w* (?: \.\w+ | \([^()\n]{0,200}\) | \{[^{}\n]{0,200}\} ){0,5} [ \t]* = (?!=)
    | [A-Za-z]\w* \( ' [^'\n]{2,} '
    )
"""
# Not in a comment or a string of another language.
_PHP_TAG = rb"^(?![ \t]*(?://|/\*|\*|[\#;%'\"]|--))[^\n'\"]*<\?(?:php\b|=|hh\b)"
_XML = rb"\A\s*<(?:\?xml|!DOCTYPE|map\b)"
_RAKU = rb"""
    ^[ \t]*(?:
        use[ ]+v6\b | unit[ ]+(?:module|class|role|grammar|package)\b | multi[ ]+(?:sub|method|MAIN)\b
        | =begin[ ]+pod\b | has[ ]+(?:[A-Z][\w:]*(?:\[\w+\])?[ ]+)?[$@%&][.!]\w
        | (?:for|if|while|given|with)\b[^\n#'"]*[ ]->[ ]+[$@%\\]\w[^\n()]*\{[ \t]*$
        | (?:my|has|our)[ ]+(?:Int|Str|Bool|Num|Rat|UInt|Hash|Array|Any|Mu|IO::Path|Promise)[ ]+[$@%&]
        | (?:sub|method)[ ]+\w+-[\w-]+ | (?:class|role|grammar)[ ]+[\w:-]+[ ]+(?:is|does)[ ]+[\w:-]+
        | done-testing\b | use[ ]+Test;[\s\S]{0,2000}?^plan[ ]+\d
    ) | ^[^\n#'"]*\)[ ]*(?:-->[ ]*\w+|is[ ]+export)[ ]*[{)] | ^[ \t]*sub[ ][^\n#'"]*\)[ ]+is[ ]+export\b
"""
_PROLOG = rb"^[ \t]*:-[ \t]*\w | ^[a-z]\w*(?:\([^()\n]*\))?[ \t]*(?::-|-->)(?=[ \t]|$) | ^%[^\n]*\n:-"
_PASCAL = rb"""
    ^[ \t]*(?: (?:unit|program|library)[ ]+\w+[ ]*; | (?:uses|interface|implementation|begin|type|const|var)[ \t]*$
    | (?:procedure|function|constructor|destructor)[ ][^\n{}]*; | \{\$[A-Z] | end[;.] | \w+[ ]*:=[^\n]*; )
"""
_NASM = rb"""
    ^[ \t]*(?: %(?:macro|define|include|if\w*|endif|endmacro|assign)\b | (?:section|segment|bits|org|extern|global)[ ]
    | (?:[\w$.@?]+:?[ \t]+)?(?:equ|d[bwdq]|res[bwdq]|times|macro|endm|proc|endp)\b[^=(\n]*$
    | (?:[\w$.@?]+:[ \t]*)?(?:mov|push|pop|jmp|call|ret|add|sub|xor|cmp|j[nz]e?|lea|int|ld[aixy]|st[aixy])\b[^=(\n{]*$ )
"""
_GAS = (
    rb"^[ \t]*(?:[\w$.]+:[ \t]*)?\.(?:macro|endm|glob[a]?l|section|text|data|equ|set|byte|word|long|align|type|size)\b"
)
_SQL = rb"""
    ^[ \t]*(?: (?:create|alter|drop)[ ]+(?:or[ ]+replace[ ]+)?(?:table|view|function|procedure|index|trigger|type)\b
    | insert[ ]+into[ ] | select[ ][^\n;{]*(?:,|\bfrom\b|$) | update[ ]+\w+[ ]+set\b | delete[ ]+from[ ]
    | (?:from|where|values|join|group[ ]by|order[ ]by)[ ][^{}\n]*$ )
"""
_FORTRAN = rb"""
    ^[ \t]*(?: (?:(?:recursive|pure|elemental)[ ]+)?(?:subroutine|program)[ ]+\w+ | implicit[ ]+none
    | (?:real|integer|logical|complex|character|double[ ]precision|common|parameter|dimension|data|external)\b[^\n;{=]*$
    | (?:integer|real|logical|character)\b[^;{\n]*:: | end[ ]*(?:if|do|subroutine|function)[ \t]*$ | call[ ]+\w+\( )
    | ^[cC*][ \t]
"""
_PERL = rb"""
    ^[ \t]*(?: sub[ ]+\w+[ \t]*\{ | (?:my|our|local)[ ]+[$@%(] | use[ ]+(?:strict|warnings|[A-Z][\w:]*)\b[^\n{]*;
    | package[ ]+[\w:]+; | [$@%]\w+[^\n]*[;{] | return[ ]+[$@%\\]
    | (?:if|unless|foreach|for)[ ]*\(?[^\n]*[$@%]\w | =cut )
"""
_BITBAKE = rb"""
    ^(?: (?:require|inherit|include)[ ]+[\w./$\{}-]+$ | (?:fakeroot[ ]+)?(?:do_|pkg_|python[ ])\w+[^\n]*\(\)[ ]*\{
    | [A-Z][\w:$\{}-]+[ ]*(?:\?\??|:|\+|\.|=)?=[ ]*" )
"""
_MAKE = rb"""
    ^(?: [\w.%/$(){}-]+[ \t]*(?:[?:+!]|::)?=(?!=)[^\n;]*$ | [\w.%/$(){}-]+[ ]*:(?![:=]) | \t[@$\w-]
    | (?:ifeq|ifdef|endif|include)\b[^\n;{]*$ )
"""
_HTML = rb"^[ \t]*(?:</?(?:[a-z][a-z0-9]*\b[^<>\n]*>|!--)|<!DOCTYPE)"
_CPP = rb"""
    ^[ \t]*(?: \#[ \t]*(?:include|define|if|ifdef|ifndef|elif|else|endif|pragma|undef|error)\b | //
    | (?:static|inline|extern|const|constexpr|typedef|template|namespace|struct|class|enum|union|public|private|friend
        |void|int|char|bool|float|double|unsigned|long|short|auto|size_t|std::\w+|u?int\d+_t)\b[^$\n]*[\w;{(),&*>:]$
    | (?:if|for|while|switch)[ ]*\([^$@\n]*$ | return\b[^$@\n]*;$ | case[ ][^$\n]*: | [\w:>.\[\]*-]+\([^$\n]*\)[;,]?$
    | \w+,[ \t]*(?://[^\n]*)?$ | [\w>.\[\]*:-]+[ ]*[+*/|&-]?=[^$@\n]*[;,]$ | \}[;,]?$ | [A-Z][A-Z0-9_]*\([^$\n]*,?$ )
"""
# Endings that may mean another language than usual, and that language, with a sign of it; the first sign counts.
_DECIDED = (
    (".asc", "asc", rb"^-----BEGIN[ ]"),
    (".cl", "c", rb"\A\s*(?:/[/*]|\#)|\b__(?:kernel|global|constant)\b|^[ ]*kernel[ ]+void\b"),
    (".cls", "tex", rb"\A\s*[%\\]"),
    (".cls", "vb.net", rb"\A\s*VERSION[ ]\d|^Attribute[ ]VB_|^Option[ ]Explicit"),
    (".cls", "openedge", rb"(?i)^[ \t]*(?:ROUTINE-LEVEL|&SCOPED|DEFINE[ ](?:VARIABLE|INPUT)\b)"),
    (".d", "make", rb"\A(?:\s*\#[^\n]*\n)*[\w./$()\{}-]+\.l?[od][ ]*:[ \n\\]"),
    (".def", "modula2", rb"^[ \t]*(?:(?:DEFINITION|IMPLEMENTATION)[ ]+)?MODULE[ ]+\w+"),
    (".def", "c", _CPP),
    (".def", "text", rb""),
    (".fs", "glsl", rb"^[ \t]*(?:\#version|precision[ ]|uniform[ ]|varying[ ]|attribute[ ]|void[ ]+main)"),
    (".fs", "forth", rb"^(?::[ ]+\S+[ ]|\\[ ]|new-device)"),
    (".gs", "javascript", rb"^[ \t]*(?:function[ ]+\w+[ ]*\(|const[ ]|let[ ]|async[ ]|/\*\*)"),
    (".hh", "php", rb"\A\s*<\?hh"),
    (".l", "common-lisp", rb"\A\s*[(;]"),
    (".m", "mathematica", rb"\A\s*\(\*|^[ \t]*BeginPackage\["),
    (".m", "matlab", _MATLAB),
    (".mm", "xml", _XML),
    (".pl", "perl6", _RAKU),
    (".pl", "prolog", _PROLOG),
    (".pm", "c", rb"\A/\*[ ]XPM"),
    (".pm", "perl6", _RAKU),
    (".pp", "delphi", rb"(?i)" + _PASCAL),
    (".pro", "idl", rb"(?i)^[ \t]*(?:pro|function|compile_opt)[ ]+\w+"),
    (".pro", "text", rb"^[ \t]*(?:QT|TEMPLATE|CONFIG|TARGET|SOURCES|HEADERS)[ ]*[+*-]?=|^-(?:keep|dont)"),
    (".re", "cpp", rb"^[ \t]*\#[ ]*(?:include|define|if)|/\*!re2c|\btemplate[ ]*<|^[ ]*(?:static|namespace)[ ]"),
    (".t", "perl6", _RAKU),
    (".ts", "xml", _XML),
    (".v", "coq", rb"\b(?:Proof|Qed|Defined|Admitted)\.|^(?:From[ ]\S+[ ])?Require[ ]|^(?:Lemma|Theorem|Fixpoint)[ ]"),
)
_SIGNS: dict[str, list[tuple[str, re.Pattern[bytes]]]] = {}
for _ending, _language, _pattern in _DECIDED:
    _SIGNS.setdefault(_ending, []).append((_language, _sign(_pattern)))
_INCLUDED = {
    "cpp": _sign(_CPP),
    "nasm": _sign(rb"(?i)" + _NASM),
    "gas": _sign(_GAS),
    "delphi": _sign(rb"(?i)" + _PASCAL),
    "perl": _sign(_PERL),
    "sql": _sign(rb"(?i)" + _SQL),
    "fortran": _sign(rb"(?i)" + _FORTRAN),
    "pov": _sign(rb"^[ \t]*\#(?:declare|local|macro|while|end|version|switch|range)\b"),
    "bitbake": _sign(_BITBAKE),
    "make": _sign(_MAKE),
    "html": _sign(rb"(?i)" + _HTML),
}
_IS_PHP = _sign(_PHP_TAG)
_PHP_LINES = _sign(rb"^[^\n$<]*\$[A-Za-z_]\w*[ ]*(?:=|->|\[|[,;)])[^\n]*")
_LINES_OF_A_PIECE = 6
"""A piece of PHP has a variable on at least one line in this many."""


def _decided(ending: str, content: bytes) -> str | None:
    sample = as_utf8(content[:_SAMPLE])
    return next((language for language, sign in _SIGNS[ending] if sign.search(sample)), None)


def _included(content: bytes) -> str:
    if _IS_PHP.search(as_utf8(content)):
        return "php"
    sample = as_utf8(content[:_SAMPLE])
    lines = {language: len(sign.findall(sample)) for language, sign in _INCLUDED.items()}
    best = max(lines, key=lambda language: lines[language])
    return best if lines[best] * _LINES_OF_A_SIGN >= sample.count(b"\n") and lines[best] else "text"


def _tagged(content: bytes) -> str | None:
    return "php" if _IS_PHP.search(content[:_SAMPLE]) else None


def _with_tags(content: bytes) -> str:
    """Outside of tags, PHP is text, but for a piece of code that was cut out; of nothing, only the name counts."""
    sample = content[:_SAMPLE]
    is_piece = len(_PHP_LINES.findall(sample)) * _LINES_OF_A_PIECE > sample.count(b"\n")
    return "php" if b"<?" in content or is_piece or not content else "html"


BY_CONTENT: dict[str, Callable[[bytes], str | None]] = {
    **{ending: partial(_decided, ending) for ending in _SIGNS},
    # Only the first line may say what these are.
    **dict.fromkeys((".command", ".tool"), lambda _: None),
    ".inc": _included,
    **dict.fromkeys((".engine", ".install", ".module", ".profile", ".test", ".theme", ".tpl"), _tagged),
    **dict.fromkeys((".php", ".php3", ".php4", ".php5", ".php7", ".php8", ".phtml", ".ctp"), _with_tags),
}
"""Ending → the language of a file of that ending, given its content; None if its name or first line tells."""
