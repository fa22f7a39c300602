"""Languages with braces and C's operators, those of the Java platform among them."""

from __future__ import annotations

from winnow_ci.languages.families.careful_reading import QuoteForm, quotes, simple_quotes
from winnow_ci.languages.families.javascript_reading import JavaScript
from winnow_ci.languages.families.syntax import (
    ALL_ASCII,
    ARITHMETIC,
    BACKTICKED_NAME,
    BLOCK_COMMENT,
    ESCAPED_NAME,
    MORE_ESCAPED,
    MORE_SPLICED,
    NESTED_COMMENT,
    NO_QUOTES,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    multiline_string,
    words,
)

_TEXTS = (b'"""', b"'''")
_DOLLAR = rb"\$\{"

_SAME = words(
    b"<% { %> } <: [ :> ] %: # %:%: ##",
    b"??< { ??> } ??( [ ??) ] ??= # ??=??= ## ??! | ??!??! || ??' ^ ??- ~",
)
_SPELLINGS = tuple(zip(_SAME[::2], _SAME[1::2], strict=True))  # digraphs and trigraphs

C = LanguageFamily(
    name="c",
    revision=2,
    members="c cpp objective-c objective-c++ cuda arduino",
    spans=(
        # A backslash at the end of a line joins two lines, even within a mark.
        BLOCK_COMMENT._replace(closer=rb"\*(?:\\\n){0,9}/"),
        SpanRule("string", b'R"', (rb'(?:u8|[uUL])?R"([^()\\\s\0]{0,16})\(',), closer=rb'\)\1"'),
    ),
    operators=ARITHMETIC + words(b"&& || ++ -- -> :: .* ->* <=> ##") + tuple(spelling for spelling, _ in _SPELLINGS),
    prefix=rb"[uUL]8?",
    rules=(
        LexemeRule("mark", rb"/\\\n/[^\n\0]*", starts=rb"/\\\n/"),
        # No digraph (C++, lex.pptoken).
        LexemeRule("word", rb"<(?=::[^:>])", starts=rb"<\Z"),
        ESCAPED_NAME,
    ),
    name_end=MORE_SPLICED,
    spellings=_SPELLINGS,
    digit_separator=b"'",
    spliced_comments=True,
)

JAVASCRIPT = LanguageFamily(
    name="javascript",
    revision=3,
    members="javascript jsx typescript tsx",
    spans=(BLOCK_COMMENT, multiline_string(b"`")),
    operators=ARITHMETIC + words(b"&& || ++ -- === !== => ** **= >>> >>>= ?? ??= ?. &&= ||="),
    letters=b"$",
    # What begins or ends a comment of HTML makes a line of a script one, too (ECMA-262, B.1.1).
    rules=(LexemeRule("mark", rb"<!--[^\n\0]*", starts=rb"<!--|-->"), ESCAPED_NAME),
    name_end=MORE_ESCAPED,
    regex_after=(rb"[(,=:\[!&|?{;]", rb"=>", rb"[^+]\+", rb"\breturn", rb"\btypeof", rb"\bcase"),
    care=JavaScript(),
)

GO = LanguageFamily(
    name="go",
    spans=(BLOCK_COMMENT, SpanRule("string", b"`", (rb"`",), closer=b"`")),
    operators=ARITHMETIC + words(b"&& || ++ -- <- := &^ &^="),
)

SOLIDITY = LanguageFamily(
    name="solidity",
    spans=(BLOCK_COMMENT,),
    operators=ARITHMETIC + words(b"&& || ++ -- => -> ** >>> >>>= :="),
    prefix=rb"(?:hex|unicode)",
    letters=b"$",
)

ZIG = LanguageFamily(
    name="zig",
    operators=ARITHMETIC + words(b"++ ** => || .* .? .{ <<| <<|= +% -% *% +%= -%= *%= +| -| *| +|= -|= *|= .."),
    # Each line of a string of several lines has its own mark.
    rules=(LexemeRule("string", rb"\\\\[^\n\0]*"),),
    letters=b"@",
)

RUST = LanguageFamily(
    name="rust",
    spans=(
        NESTED_COMMENT,
        SpanRule("string", b'r"', (rb'[bc]?r"',), closer=b'"'),
        SpanRule("string", b"r#", (rb'[bc]?r(?P<hashes>#{1,255})"',), closer=rb'"(?P=hashes)'),
        multiline_string(b'"', prefix=rb"[bc]"),
    ),
    operators=ARITHMETIC + words(b"&& || -> => :: .. ..="),
    quotes=b'"',
    prefix=rb"[bc]",
    rules=(
        LexemeRule("string", rb"b?'(?:\\[^\n\0][^'\n\0]{0,10}|[^\\'\n\0\x80-\xff]|[\x80-\xff]{1,4})'"),
        LexemeRule("name", rb"'[A-Za-z_][\w\x80-\xff]*"),
        LexemeRule("name", rb"r#[A-Za-z_\x80-\xff][\w\x80-\xff]*"),
    ),
)

_CONFUSING_REGEX = (
    rb"/(?:(?<=[(,=:\[]/)|(?<=[(,=:\[]\s/))"
    rb'(?=[^\n\0]{0,200}?(?:"""|[\\\[]/\*))(?![\s/*])(?:[^/\\\n\0]|\\[^\n\0]){0,4095}/?'
)

SWIFT = LanguageFamily(
    name="swift",
    revision=2,
    spans=(
        NESTED_COMMENT,
        # One of several lines that contains the end of a one-line string is read only up to that end.
        SpanRule("string", b'#"', (rb'(?P<hashes>#{1,16})"',), closer=rb'"(?P=hashes)'),
        # A regular expression; on one line it is a rule below.
        SpanRule("string", b"#/", (rb"(?P<bars>#{1,16})/(?=[ \t]*\n)",), closer=rb"\n[ \t]*/(?P=bars)"),
        multiline_string(b'"""'),
    ),
    operators=ARITHMETIC + words(b"&& || -> ..< ?? ?. === !== &+ &- &* &+= &-= &*= ~="),
    rules=(
        BACKTICKED_NAME,
        LexemeRule("name", rb"\$[0-9]+"),
        *(
            LexemeRule("string", rb"%b/(?:[^/\n\0]|/(?!%b)){0,4095}(?:/%b)?" % (bars, bars, bars))
            for bars in (b"##", b"#")
        ),
        # Other regular expressions are read as code, but for what would begin a text or a comment in them.
        LexemeRule("string", _CONFUSING_REGEX, starts=rb"/[^/*\s]"),
    ),
    care=quotes(
        QuoteForm(rb'"""', b'"""', escape=rb"\\(?!\()", code=rb"\\\(", spans_lines=True),
        QuoteForm(rb'##"', b'"##', escape=b"", code=rb"\\##\("),
        QuoteForm(rb'#"', b'"#', escape=b"", code=rb"\\#\("),
        QuoteForm(rb'"', b'"', escape=rb"\\(?!\()", code=rb"\\\("),
        brackets=(b"(", b")"),
    ),
)

CSHARP = LanguageFamily(
    name="csharp",
    revision=3,
    spans=(
        BLOCK_COMMENT,
        # Doubled quotation marks in it stand for one.
        SpanRule("string", b"@", (rb'(?:@\$?|\$@)"',), closer=rb'(?:""[^"\0]*){0,4095}"'),
        SpanRule("string", b'"""', (rb'\${0,4}(?P<marks>"{3,255})',), closer=rb"(?P=marks)"),
    ),
    operators=ARITHMETIC + words(b"&& || ++ -- -> => :: .. ?. ?? ??= >>> >>>="),
    prefix=rb"\$",
    rules=(
        LexemeRule("name", rb"@[A-Za-z_\x80-\xff][\w\x80-\xff]*"),
        ESCAPED_NAME,
        # What such lines say is text: no comment begins in it.
        LexemeRule(
            "mark", rb"#[ \t]{0,8}(?:region|endregion|error|warning)\b(?=[^\n\0]*/\*)[^\n\0]*", starts=rb"#[^\n]"
        ),
    ),
    name_end=MORE_ESCAPED,
    care=quotes(
        QuoteForm(rb'(?:\$@|@\$)"', b'"', escape=rb'"(?=")|\{(?=\{)', code=rb"\{(?!\{)", spans_lines=True),
        QuoteForm(rb'@"', b'"', escape=rb'"(?=")', spans_lines=True),
        QuoteForm(rb'\${1,4}"""', b'"""', escape=b"", spans_lines=True),
        QuoteForm(rb'\$"', b'"', escape=rb"\\|\{(?=\{)", code=rb"\{(?!\{)"),
        QuoteForm(rb'"""', b'"""', escape=b"", spans_lines=True),
        *simple_quotes(b'"', b"'"),
    ),
)

DART = LanguageFamily(
    name="dart",
    revision=2,
    spans=(
        NESTED_COMMENT,
        *(SpanRule("string", b"r" + mark, (b"r" + mark,), closer=mark) for mark in (b'"""', b"'''")),
        multiline_string(b'"""'),
        multiline_string(b"'''"),
    ),
    operators=ARITHMETIC + words(b"&& || ++ -- => .. ?.. ...? ?. ?? ??= ~/ ~/= >>> >>>="),
    # Nothing is escaped after an r.
    rules=(LexemeRule("string", rb'r"[^"\n\0]*"?'), LexemeRule("string", rb"r'[^'\n\0]*'?")),
    letters=b"$",
    care=quotes(
        *(QuoteForm(rb"r" + mark, mark, escape=b"", spans_lines=True) for mark in _TEXTS),
        *(QuoteForm(mark, mark, code=_DOLLAR, spans_lines=True) for mark in _TEXTS),
        *(QuoteForm(rb"r" + mark, mark, escape=b"") for mark in (b'"', b"'")),
        *simple_quotes(b'"', b"'", code=_DOLLAR),
    ),
)

JAVA = LanguageFamily(
    name="java",
    revision=2,
    spans=(BLOCK_COMMENT, multiline_string(b'"""')),
    operators=ARITHMETIC + words(b"&& || ++ -- -> :: >>> >>>="),
    letters=b"$",
    unicode_escapes=ALL_ASCII,
)

KOTLIN = LanguageFamily(
    name="kotlin",
    # More than three quotation marks close a string, too: the first ones are its last characters.
    spans=(NESTED_COMMENT, SpanRule("string", b'"""', (rb'"""',), closer=b'""""*')),
    operators=ARITHMETIC + words(b"&& || ++ -- -> :: .. ..< ?. ?: !! === !=="),
    rules=(BACKTICKED_NAME,),
    care=quotes(
        QuoteForm(rb'"""', b'"""', escape=b"", code=_DOLLAR, spans_lines=True),
        *simple_quotes(b'"', code=_DOLLAR),
        *simple_quotes(b"'"),
    ),
)

GROOVY = LanguageFamily(
    name="groovy",
    revision=3,
    spans=(
        BLOCK_COMMENT,
        multiline_string(b'"""'),
        multiline_string(b"'''"),
        # A dollar sign escapes itself and a slash.
        SpanRule("string", b"$/", (rb"\$/(?!\$)",), closer=rb"(?:(?<!\$)|(?<=\$\$))/\$"),
    ),
    operators=ARITHMETIC + words(b"&& || ++ -- -> :: ** **= >>> >>>= .. ..< ?. ?: ?= *. .& .@ =~ ==~ <=> === !=="),
    letters=b"$",
    # A string between slashes ends with its line here.
    regex_after=(rb"[(,=:\[!&|?{;~]", rb"\breturn", rb"\bcase"),
    unicode_escapes=NO_QUOTES,
    care=quotes(
        QuoteForm(rb'"""', b'"""', code=_DOLLAR, spans_lines=True),
        *simple_quotes(b"'''", spans_lines=True),
        *simple_quotes(b'"', code=_DOLLAR),
        *simple_quotes(b"'"),
    ),
)
