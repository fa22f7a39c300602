r"""Scripting languages and shells.

Reading shells exactly takes a parser; these rules read code the same wherever it stands. A string ends with its line,
although in both shells it may go on. So an odd quotation mark, or a fragment that begins inside a string, misleads for
one line instead of the rest of the file, and a program in a string (``awk '``) is read as code, whole or in parts.
Quotes inside ``"$(...)"`` end the string; it begins again after them.
"""

from __future__ import annotations

from winnow_ci.languages.families.careful_reading import QuoteForm, quotes, simple_quotes
from winnow_ci.languages.families.here_document_reading import HereDocuments
from winnow_ci.languages.families.syntax import (
    ALL_WORDS,
    ARITHMETIC,
    BLOCK_COMMENT,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    line_bound,
    line_comment,
    line_string,
    multiline_string,
    words,
)

_TEXTS = (b'"""', b"'''")
_F = rb"(?:[fFtT][rR]?|[rR][fFtT])"
_OTHER = rb"(?:[rRbBuU]{1,2})?"
_PYTHON_PREFIX = rb"[rRbBuUfFtT]{1,2}"

PYTHON = LanguageFamily(
    name="python",
    members="python python2",
    line_comment=b"#",
    spans=(multiline_string(b'"""', _PYTHON_PREFIX), multiline_string(b"'''", _PYTHON_PREFIX)),
    operators=ARITHMETIC + words(b"-> ** **= // //= := @= <>"),
    prefix=_PYTHON_PREFIX,
    care=quotes(
        *(
            QuoteForm(_F + mark, mark, escape=rb"\\|\{(?=\{)", code=rb"\{(?!\{)", spans_lines=len(mark) > 1)
            for mark in (*_TEXTS, b'"', b"'")
        ),
        *(QuoteForm(_OTHER + mark, mark, spans_lines=len(mark) > 1) for mark in (*_TEXTS, b'"', b"'")),
    ),
)


def _lua_string(quote: bytes) -> bytes:
    plain = rb"[^%b\\\n\0]*" % quote
    return rb"%b%b(?:\\(?:z[\x01-\x20]*|[^\0])%b){0,4095}%b?" % (quote, plain, plain, quote)


LUA = LanguageFamily(
    name="lua",
    revision=2,
    line_comment=b"--",
    spans=(
        SpanRule("comment", b"--[", (rb"--\[(?P<comment_level>=*)\[",), closer=rb"\](?P=comment_level)\]"),
        SpanRule("string", b"[", (rb"\[(?P<level>=*)\[",), closer=rb"\](?P=level)\]"),
    ),
    operators=words(b"== ~= <= >= << >> // .. ... ::"),
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
    quotes=b"\"'`",
    rules=(
        *(LexemeRule("string", line_bound(rb"%[qQwWiIrsx]", mark) + rb"[a-z]*") for mark in (b"|", b"!", b"/", b"~")),
        LexemeRule("name", rb"(?:@@?|\$)[A-Za-z_\x80-\xff][\w\x80-\xff]*"),
        LexemeRule("name", rb"\$[~&`'+!@/\\,;.<>0-9*$?:\"]"),
    ),
    name_end=rb"(?:[!?](?![=~\w]))?",
    care=HereDocuments(
        quotes(*simple_quotes(b'"', b"`", code=rb"#\{", spans_lines=True), *simple_quotes(b"'", spans_lines=True))
    ),
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
    line_comment=b"#",
    spans=(
        # Documentation may go on to the end of the file, and often does.
        SpanRule("comment", b"=", (_AT_LINE_START + rb"[A-Za-z]\w*",), closer=rb"(?:\n=cut\b[^\n\0]*|(?=\0))"),
        SpanRule(
            "string", b"<<", (rb"""<<~?(?:["'](?=\w{1,80}["'])|(?=[A-Z_]))(?P<here>[A-Za-z_]\w*)""",), closer=_HERE_END
        ),
        # Of two parts, as in s{a}{b}, the second is read as code.
        *_in_brackets(_PERL_QUOTE + rb"(?:%b|%b)" % (_PERL_ONE, _PERL_TWO)),
    ),
    operators=ARITHMETIC + words(b"&& || // &&= ||= //= ++ -- ** **= .. .= x= -> => :: =~ !~ <=> ~~"),
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
    care=HereDocuments(quotes(*simple_quotes(b'"', b"'", spans_lines=True))),
    regex_after=(
        rb"[(,~!&|{;?]",
        *(rb"\b" + word for word in words(b"if unless and or not while until return split grep map")),
    ),
)

_SIGIL = rb"~[A-Za-z]{1,8}"

ELIXIR = LanguageFamily(
    name="elixir",
    revision=2,
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
    rules=(
        # A question mark before a character makes a character literal.
        LexemeRule("string", rb"\?(?:\\[^\n\0]|[^\s\\\0\x80-\xff]|[\x80-\xff]{1,4})"),
        *(LexemeRule("string", line_bound(_SIGIL, mark) + rb"[a-zA-Z]*") for mark in (b"/", b"|", b'"', b"'")),
    ),
    name_end=rb"(?:[!?](?![=~\w]))?",
    care=quotes(
        *(QuoteForm(rb"%b(?=[ \t]*\n)" % mark, b"\n" + mark, code=rb"#\{", spans_lines=True) for mark in _TEXTS),
        *simple_quotes(b'"', b"'", code=rb"#\{", spans_lines=True),
    ),
)

PHP = LanguageFamily(
    name="php",
    members="php html+php",
    spans=(
        BLOCK_COMMENT,
        SpanRule("text", b"?>", (rb"\?>",), closer=rb"(?:<\?(?!xml\b)(?:php\b|=)?|(?=\0))"),
        SpanRule(
            "string",
            b"<<<",
            (rb"""<<<[ \t]{0,8}["']?(?P<here>[A-Za-z_]\w*)["']?(?=\n)""",),
            closer=rb"\n[ \t]*(?P=here)\b",
        ),
        multiline_string(b'"'),
        multiline_string(b"'"),
        multiline_string(b"`"),
    ),
    operators=ARITHMETIC + words(b"&& || ++ -- -> ?-> => :: ** **= .= <=> === !== <> ?? ??= |>"),
    rules=(
        # The end of the code ends a comment, too. A hash sign with a bracket opens an attribute.
        LexemeRule("comment", rb"(?:#(?!\[)|//)[^?\n\0]*(?:\?(?!>)[^?\n\0]*){0,4095}", starts=rb"#|//"),
        LexemeRule("mark", rb"<\?(?:php\b|=)?|\?>"),
    ),
    letters=b"$",
    any_case=("word",),
    care=quotes(*simple_quotes(b'"', code=rb"\{(?=\$)", spans_lines=True), *simple_quotes(b"'", spans_lines=True)),
    begins_as_text=rb"(?=<\?(?:php\b|=))|\?>",
)

SHELL = LanguageFamily(
    name="shell",
    members="bash",
    line_comment=b"#",
    spans=(
        # The rest of the opener's line is read as part of the string. Not in arithmetic: ((1 << N)).
        SpanRule(
            "string",
            b"<<",
            (rb"<(?<![<0-9$)]<)<-?[ \t]*[\"'\\]?([A-Za-z_]\w{0,60})(?![\w.])(?![^\n)\0]{0,80}\)\))",),
            closer=rb"\n\t*\1(?![^\n\0])",
        ),
    ),
    operators=words(
        b"&& || ;; ;& ;;& >> << <<< <<- >& <& >| &> &>> <> |& == != =~ += -= *= /= $( $(( (( )) [[ ]] ## %%",
        b":- := :+ :? ++ -- ** <= >= //",
    ),
    rules=(
        line_comment(rb"#(?<![^\x01-\x20;&|()`]#)"),
        LexemeRule("string", rb"\$'[^'\\\n\0]*(?:\\[^\0][^'\\\n\0]*){0,4095}'?", starts=rb"\$'"),
        LexemeRule("name", rb"\$(?:\w+|\{[!#]?\w*|[#?!@*$-])"),
        LexemeRule("word", rb"\\[^\n\0]"),
        line_string(b"'"),
    ),
    quotes=b'"',
    care=quotes(
        QuoteForm(rb"\$'", b"'", spans_lines=True),
        # Two strings without a blank between them are one.
        QuoteForm(rb"'", b"'", escape=rb"'(?=')", spans_lines=True),
        *simple_quotes(b'"', code=rb"\$\(", spans_lines=True),
        brackets=(b"(", b")"),
    ),
)

POWERSHELL = LanguageFamily(
    name="powershell",
    line_comment=b"#",
    spans=(
        SpanRule("comment", b"<#", (rb"<#",), closer=rb"#>"),
        SpanRule("string", b'@"', (rb'@"(?=[ \t]*\n)',), closer=rb'\n"@'),
        SpanRule("string", b"@'", (rb"@'(?=[ \t]*\n)",), closer=rb"\n'@"),
    ),
    operators=words(b"&& || :: ++ -- += -= *= /= %= .. >> 2> 2>> >& $( @( @{ ?? ??= ?. ?["),
    rules=(
        line_comment(rb"#(?<![^\x01-\x20;&|(){}=,]#)"),
        line_string(b'"', escape=b"`"),
        line_string(b"'"),
        LexemeRule("name", rb"\$(?:\w+(?::\w+)?|[?^$]|\{[^{}\n\0]{0,80})", starts=rb"\$[\w?^${]"),
        # Operators (-eq), names of parameters, and names of commands, which have several parts.
        LexemeRule("name", rb"-[A-Za-z_]\w*"),
        LexemeRule("name", rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*(?:-[A-Za-z_][\w\x80-\xff]*){0,40}"),
        LexemeRule("mark", rb"`(?=[ \t]*\n)", starts=rb"`\Z"),
        LexemeRule("word", rb"`[^\n\0]"),
    ),
    quotes=b"",
    any_case=ALL_WORDS,
    care=quotes(
        QuoteForm(rb'"', b'"', escape=b'`|"(?=")', code=rb"\$\(", spans_lines=True),
        QuoteForm(rb"'", b"'", escape=b"'(?=')", spans_lines=True),
        brackets=(b"(", b")"),
    ),
)
