"""Scripting languages: Python, Ruby, Perl, Lua, Elixir."""

from __future__ import annotations

from winnow_ci.languages import here_document_reading
from winnow_ci.languages.families.quotation import ELIXIR_QUOTES, PERL_QUOTES, PYTHON_QUOTES, RUBY_QUOTES
from winnow_ci.languages.families.syntax import (
    ARITHMETIC,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    line_bound,
    multiline_string,
    word_set,
    words,
)

_PYTHON_PREFIX = rb"[rRbBuUfFtT]{1,2}"

PYTHON = LanguageFamily(
    name="python",
    revision=1,
    languages=("python", "python2"),
    line_comment=b"#",
    spans=(multiline_string(b'"""', _PYTHON_PREFIX), multiline_string(b"'''", _PYTHON_PREFIX)),
    operators=ARITHMETIC + words(b"-> ** **= // //= := @= <>"),
    keywords=word_set(
        b"False None True and as assert async await break class continue def del elif else except finally for from",
        b"global if import in is lambda nonlocal not or pass raise return try while with yield",
    ),
    prefix=_PYTHON_PREFIX,
    care=PYTHON_QUOTES.care(),
)


def _lua_string(quote: bytes) -> bytes:
    plain = rb"[^%b\\\n\0]*" % quote
    return rb"%b%b(?:\\(?:z[\x01-\x20]*|[^\0])%b){0,4095}%b?" % (quote, plain, plain, quote)


LUA = LanguageFamily(
    name="lua",
    revision=2,
    languages=("lua",),
    line_comment=b"--",
    spans=(
        SpanRule("comment", b"--[", (rb"--\[(?P<comment_level>=*)\[",), closer=rb"\](?P=comment_level)\]"),
        SpanRule("string", b"[", (rb"\[(?P<level>=*)\[",), closer=rb"\](?P=level)\]"),
    ),
    operators=words(b"== ~= <= >= << >> // .. ... ::"),
    keywords=word_set(
        b"and break do else elseif end false for function goto if in local nil not or repeat return then true",
        b"until while",
    ),
    # White space after \\z is left out, line ends too.
    rules=tuple(LexemeRule("string", _lua_string(quote)) for quote in (b'"', b"'")),
)

_BRACKETS = ((rb"\(", b"(", b")"), (rb"\[", b"[", b"]"), (rb"\{", b"{", b"}"), (rb"<", b"<", b">"))
_AT_LINE_START = rb"=(?:(?<=\n=)|(?<![\s\S]=))"


def _in_brackets(opener: bytes) -> tuple[SpanRule, ...]:
    """Strings with brackets instead of quotation marks, after a word or mark."""
    return tuple(
        SpanRule("string", opening, (opener + escaped,), closer=closing, escapes=True, nests=(opening, closing))
        for escaped, opening, closing in _BRACKETS
    )


# A here-document is read from its mark on: the rest of the mark's line becomes part of the string.
_HERE_END = rb"\n[ \t]*(?P=here)(?=[\n\0])"

RUBY = LanguageFamily(
    name="ruby",
    revision=2,
    languages=("ruby",),
    line_comment=b"#",
    spans=(
        SpanRule("comment", b"=begin", (_AT_LINE_START + rb"begin\b",), closer=rb"\n=end[^\n\0]*"),
        SpanRule(
            "string",
            b"<<",
            (rb"""<<(?:~(?=[A-Za-z_])|-?(?=[A-Z_])|[~-]?["'`](?=\w{1,80}["'`]))(?P<here>\w+)""",),
            closer=_HERE_END,
        ),
        # Without a letter only where no operand can have ended.
        *_in_brackets(rb"%(?:[qQwWiIrsx]|(?<![^\s(,=\[{]%))"),
    ),
    operators=ARITHMETIC + words(b"&& || &&= ||= ** **= .. => -> :: &. <=> === =~ !~"),
    keywords=word_set(
        b"BEGIN END __FILE__ __LINE__ __dir__ __method__ alias and begin break case class def defined? do else",
        b"elsif end ensure false for if in module next nil not or redo rescue retry return self super then true",
        b"undef unless until when while yield",
    ),
    quotes=b"\"'`",
    rules=(
        *(LexemeRule("string", line_bound(rb"%[qQwWiIrsx]", mark) + rb"[a-z]*") for mark in (b"|", b"!", b"/", b"~")),
        LexemeRule("name", rb"(?:@@?|\$)[A-Za-z_\x80-\xff][\w\x80-\xff]*"),
        LexemeRule("name", rb"\$[~&`'+!@/\\,;.<>0-9*$?:\"]"),
    ),
    name_end=rb"(?:[!?](?![=~\w]))?",
    care=here_document_reading.care(RUBY_QUOTES),
    regex_after=(
        rb"[(,=~!&|?{;\[:]",
        *(rb"\b" + word for word in words(b"if unless when and or not while until return elsif then")),
    ),
)

# Not after characters that make it a variable, a call or an option; white space only after qw.
_PERL_QUOTE = rb"[qmsty](?<![$@%&>-].)(?<!::.)"
_PERL_ONE = rb"(?:(?<=q)(?:[qrx]?|w[ \t]?)|(?<=m))"
_PERL_TWO = rb"(?:(?<=t)r|(?<=[sy]))"

PERL = LanguageFamily(
    name="perl",
    revision=2,
    languages=("perl",),
    line_comment=b"#",
    spans=(
        # Documentation may go on to the end of the file, and often does.
        SpanRule("comment", b"=", (_AT_LINE_START + rb"[A-Za-z]\w*",), closer=rb"(?:\n=cut\b[^\n\0]*|(?=\0))"),
        SpanRule(
            "string",
            b"<<",
            (rb"""<<~?(?:["'](?=\w{1,80}["'])|(?=[A-Z_]))(?P<here>[A-Za-z_]\w*)""",),
            closer=_HERE_END,
        ),
        # Of two parts, as in s{a}{b}, the second is read as code.
        *_in_brackets(_PERL_QUOTE + rb"(?:%b|%b)" % (_PERL_ONE, _PERL_TWO)),
    ),
    operators=ARITHMETIC + words(b"&& || // &&= ||= //= ++ -- ** **= .. .= x= -> => :: =~ !~ <=> ~~"),
    keywords=word_set(
        b"BEGIN END __DATA__ __END__ __FILE__ __LINE__ __PACKAGE__ and bless cmp defined die do else elsif eq eval",
        b"for foreach ge goto gt if last le local lt my ne next no not or our package redo ref require return sub",
        b"undef unless until use wantarray while xor",
    ),
    quotes=b"\"'`",
    rules=(
        LexemeRule("name", rb"[$@]\${0,3}[A-Za-z_\x80-\xff][\w\x80-\xff]*"),
        LexemeRule("name", rb"\$(?:#(?=[\w${])|[0-9]+|[&`'\"/!@,;.\\])", starts=rb"\$[^\w$]|\$[0-9]"),
        *(
            LexemeRule("string", _PERL_QUOTE + line_bound(kind, mark, parts) + rb"[a-z]*")
            for mark in (b"/", b"!", b"|", b"#", b"~", b"@", b"^")
            for kind, parts in ((_PERL_ONE, 1), (_PERL_TWO, 2))
        ),
    ),
    care=here_document_reading.care(PERL_QUOTES),
    regex_after=(
        rb"[(,~!&|{;?]",
        *(rb"\b" + word for word in words(b"if unless and or not while until return split grep map")),
    ),
)

_SIGIL = rb"~[A-Za-z]{1,8}"

ELIXIR = LanguageFamily(
    name="elixir",
    revision=2,
    languages=("elixir",),
    line_comment=b"#",
    spans=(
        # It ends where a line begins with its mark, whatever stands before.
        *(
            SpanRule("string", mark, (rb"(?:%b)?%b(?=[ \t]*\n)" % (_SIGIL, mark),), closer=rb"\n[ \t]*" + mark)
            for mark in (b'"""', b"'''")
        ),
        *_in_brackets(_SIGIL),
    ),
    operators=words(
        b"== != === !== =~ <= >= && || &&& ||| <<< >>> ++ -- +++ --- <> |> -> <- => :: .. ... // << >> <~> ~> <~ ~>>",
        b"<<~ <|> ^^^ ~~~ \\\\ **",
    ),
    keywords=word_set(
        b"__CALLER__ __ENV__ __MODULE__ after alias and case catch cond def defdelegate defexception defguard",
        b"defguardp defimpl defmacro defmacrop defmodule defoverridable defp defprotocol defstruct do else end",
        b"false fn for if import in nil not or quote raise receive require rescue super throw true try unless",
        b"unquote use when with",
    ),
    rules=(
        # A question mark before a character makes a character literal.
        LexemeRule("string", rb"\?(?:\\[^\n\0]|[^\s\\\0\x80-\xff]|[\x80-\xff]{1,4})"),
        *(LexemeRule("string", line_bound(_SIGIL, mark) + rb"[a-zA-Z]*") for mark in (b"/", b"|", b'"', b"'")),
    ),
    name_end=rb"(?:[!?](?![=~\w]))?",
    care=ELIXIR_QUOTES.care(),
)
