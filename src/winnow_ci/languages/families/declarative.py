"""Queries, style sheets, markup and configuration; hardware descriptions and assembly."""

from __future__ import annotations

from winnow_ci.languages.families.careful_reading import QuoteForm, quotes, simple_quotes
from winnow_ci.languages.families.syntax import (
    ALL_WORDS,
    ARITHMETIC,
    BACKTICKED_NAME,
    BLOCK_COMMENT,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    line_comment,
    line_string,
    words,
)

_TEXT_IN_DOLLARS = rb"\$(?:[A-Za-z_]\w{0,60})?\$(?=[^$*\n\0]{0,999}(?:/\*[^$*\n\0]{0,999}\$|\*/))[^$\n\0]*\$\w*\$"

SQL = LanguageFamily(
    name="sql",
    revision=2,
    members="sql mysql tsql googlesql",
    line_comment=b"--",
    # MySQL and MariaDB execute some comments.
    spans=(BLOCK_COMMENT._replace(openers=(rb"/\*(?!M?!)",)),),
    operators=words(b"<= >= <> != || := :: -> ->> => == << >> += -= *= /= @> <@ && ~* !~ !~* .."),
    rules=(
        # MySQL's '#' only before a blank: elsewhere it is part of a name or an operator.
        line_comment(rb"--|#(?![^\x01-\x20\0])"),
        LexemeRule("mark", rb"/\*M?!(?:[0-9]{5,6})?|\*/", starts=rb"/\*M?!|\*/"),
        # A text on one line in which a comment does not end; elsewhere there is code.
        LexemeRule("string", _TEXT_IN_DOLLARS, starts=rb"\$\w*\$[^$]"),
        # Only in MySQL do backslashes escape; but others hardly write one before a quote, except here.
        LexemeRule("string", rb"'\\'(?=[\x01-\x20);,\0])", starts=rb"'\\'"),
        line_string(b"'", escape=rb"\\"),
        # Between dollar quotes there is nearly always code, which is read as code.
        LexemeRule("word", rb"\$(?:[A-Za-z_]\w{0,60})?\$"),
        BACKTICKED_NAME,
        LexemeRule("name", rb"[@:$#]{1,2}[A-Za-z_]\w*|\$[0-9]+", starts=rb"[@:$#]{1,2}[A-Za-z_]|\$[0-9]"),
        line_string(b'"', prefix=rb"[eEnNbBxX]"),
    ),
    quotes=b"",
    any_case=ALL_WORDS,
)

_NAME_END = rb"[\w\x80-\xff-]*"
_NAME = rb"[A-Za-z_\x80-\xff]" + _NAME_END

CSS = LanguageFamily(
    name="css",
    members="css scss less",
    spans=(BLOCK_COMMENT,),
    operators=words(b":: == != <= >= ~= |= ^= $= *= #{ @{ && ||"),
    rules=(
        # An address without quotes is text: //example.org is not a comment.
        LexemeRule("string", rb"[uU][rR][lL]\([^\"'()\n\0]*"),
        LexemeRule("name", rb"[@$]%b|-{1,2}%b" % (_NAME, _NAME)),
        LexemeRule("number", rb"#[0-9a-fA-F]{3,8}(?![\w-])"),
        LexemeRule("number", rb"[0-9]+(?:\.[0-9]+)?\w*|\.[0-9]+\w*"),
    ),
    name_end=_NAME_END,
    care=quotes(*simple_quotes(b'"', b"'", code=rb"#\{")),
)

TERRAFORM = LanguageFamily(
    name="terraform",
    line_comment=b"#",
    spans=(
        BLOCK_COMMENT,
        SpanRule(
            "string", b"<<", (rb"<<-?([A-Za-z_\x80-\xff][\w\x80-\xff-]*)(?=\n)",), closer=rb"\n[ \t]*\1(?=[ \t]*[\n\0])"
        ),
    ),
    operators=words(b"== != <= >= && || => ... ${ %{"),
    rules=(line_comment(rb"#|//"), LexemeRule("number", rb"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\w*")),
    # Quotes inside "${...}" end the string; it begins again after them.
    quotes=b'"',
    name_end=_NAME_END,
    care=quotes(QuoteForm(rb'"', b'"', escape=rb"\\|[$%](?=[$%]\{)", code=rb"[$%]\{")),
)

PROTOBUF = LanguageFamily(name="protobuf", spans=(BLOCK_COMMENT,))

# ``markup_tokenizer`` cuts documents into this and the families of scripts and styles.
HTML = LanguageFamily(
    name="markup",
    revision=2,
    members="html vue",
    line_comment=b"",
    spans=(
        SpanRule("comment", b"<!--", (rb"<!--(?!-?>)",), closer=rb"--!?>"),
        # An attribute's value: elsewhere a quotation mark is punctuation, and an apostrophe opens nothing.
        SpanRule("string", b'="', (rb'"(?<![^=]")',), closer=b'"'),
        SpanRule("string", b"='", (rb"'(?<![^=]')",), closer=b"'"),
    ),
    operators=words(b"</ /> <! && || == != === !== => <= >= {{ }} {# {/ {: {@"),
    # Elements, attributes and text are all words: there is nothing that a copier would rename.
    rules=(
        # A comment that ends at once (HTML, 13.2.6.1).
        LexemeRule("mark", rb"<!---?>"),
        LexemeRule("word", rb"[A-Za-z_\x80-\xff][\w\x80-\xff-]*"),
        LexemeRule("number", rb"[0-9]\w*"),
        LexemeRule("word", rb"[\"']", starts=rb"[\"']\Z"),
    ),
    quotes=b"",
    any_case=ALL_WORDS,
)

VERILOG = LanguageFamily(
    name="verilog",
    revision=2,
    members="verilog systemverilog",
    spans=(BLOCK_COMMENT,),
    operators=ARITHMETIC
    + words(
        b"&& || ++ -- -> ->> <-> => *> === !== ==? !=? <<< >>> <<<= >>>= ** ~& ~| ~^ ^~ +: -: :: := :/ ## #0",
        b"|-> |=> .* '{ @* @@ #- #= &&&",
    ),
    rules=(
        # 4'b1010 is one number, with or without spaces after the base; '0 is another.
        LexemeRule("number", rb"[0-9][0-9_]*'[sS]?[bBoOdDhH][ \t]*[\w?]*"),
        LexemeRule("number", rb"'(?:[sS]?[bBoOdDhH][ \t]*[0-9a-fA-FxXzZ_?]+(?!\w|')|[01xXzZ](?![\w']))"),
        LexemeRule("name", rb"`\w+"),
        # An escaped name, which white space ends.
        LexemeRule("name", rb"\\[^\x01-\x20\0]+", starts=rb"\\[^\x01-\x20]"),
    ),
    quotes=b'"',
    letters=b"$",
)

VHDL = LanguageFamily(
    name="vhdl",
    revision=2,
    line_comment=b"--",
    spans=(BLOCK_COMMENT,),
    operators=words(b"=> ** := /= >= <= <> ?? << >> ?= ?/= ?< ?<= ?> ?>="),
    rules=(
        # After a name or a bracket a single quote begins an attribute: clk'event.
        LexemeRule("string", rb"(?<![\w)\]\x80-\xff])'[^\n\0]'", starts=rb"'[\s\S]'"),
        LexemeRule("number", rb"[0-9][0-9_]*#[\w.]*#?(?:[eE][+-]?[0-9]+)?"),
        LexemeRule("name", rb"\\[^\\\n\0]*\\?", starts=rb"\\[^\\]"),
        line_string(b'"', prefix=rb"[bBoOxXuUsSdD]{1,2}"),
    ),
    quotes=b"",
    any_case=ALL_WORDS,
)


NASM = LanguageFamily(
    name="assembly",
    members="nasm",
    line_comment=b";",
    operators=words(b"<< >> == != <= >= <> && || ^^ $$ %% // :="),
    rules=(LexemeRule("name", rb"[%.][A-Za-z_]\w*"), LexemeRule("number", rb"[0-9][0-9a-fA-F_]*[hH]\b")),
    quotes=b"\"'`",
    letters=b"@?$",
    name_end=rb"[\w@?$.\x80-\xff]*",
    any_case=ALL_WORDS,
)

_DIRECTIVE = rb"[ \t]{1,20}(?:define|elif|endif|ifdef|ifndef|undef)\b"

GAS = LanguageFamily(
    name="assembly",
    members="gas",
    spans=(BLOCK_COMMENT,),
    operators=words(b"<< >> == != <= >= <> && || ##"),
    rules=(
        # What opens a comment depends on the processor: '#' marks a number on ARM, '@' a relocation on x86.
        line_comment(
            rb"//|#(?!%b)(?:(?=/\*)|(?![^\x01-\x20#*=\0-]|-(?!-)))|@(?:(?=/\*)|(?![^\x01-\x20@\0]))" % _DIRECTIVE
        ),
        LexemeRule("string", rb"'\\?[^\x01-\x20\0]'?", starts=rb"'"),
        LexemeRule("name", rb"\.[A-Za-z_][\w.$]*"),
        LexemeRule("number", rb"[0-9][0-9_]*[bfBF](?!\w)"),
    ),
    quotes=b'"',
    letters=b"$",
    name_end=rb"[\w$.\x80-\xff]*",
    any_case=ALL_WORDS,
)
