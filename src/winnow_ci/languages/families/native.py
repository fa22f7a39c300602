"""Languages with braces that are compiled, other than C's relatives and Go: Rust, Swift, C# and Dart."""

from __future__ import annotations

from winnow_ci.languages.families.quotation import CSHARP_QUOTES, DART_QUOTES, SWIFT_QUOTES
from winnow_ci.languages.families.syntax import (
    ARITHMETIC,
    BACKTICKED_NAME,
    BLOCK_COMMENT,
    ESCAPED_NAME,
    MORE_ESCAPED,
    NESTED_COMMENT,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    multiline_string,
    word_set,
    words,
)

RUST = LanguageFamily(
    name="rust",
    revision=1,
    languages=("rust",),
    line_comment=b"//",
    spans=(
        NESTED_COMMENT,
        SpanRule("string", b'r"', (rb'[bc]?r"',), closer=b'"'),
        SpanRule("string", b"r#", (rb'[bc]?r(?P<hashes>#{1,255})"',), closer=rb'"(?P=hashes)'),
        multiline_string(b'"', prefix=rb"[bc]"),
    ),
    operators=ARITHMETIC + words(b"&& || -> => :: .. ..="),
    keywords=word_set(
        b"Self as async await break const continue crate dyn else enum extern false fn for if impl in let loop",
        b"match mod move mut pub ref return self static struct super trait true type unsafe use where while",
    ),
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
    languages=("swift",),
    line_comment=b"//",
    spans=(
        NESTED_COMMENT,
        # One of several lines that contains the end of a one-line string is read only up to that end.
        SpanRule("string", b'#"', (rb'(?P<hashes>#{1,16})"',), closer=rb'"(?P=hashes)'),
        # A regular expression; on one line it is a rule below.
        SpanRule("string", b"#/", (rb"(?P<bars>#{1,16})/(?=[ \t]*\n)",), closer=rb"\n[ \t]*/(?P=bars)"),
        multiline_string(b'"""'),
    ),
    operators=ARITHMETIC + words(b"&& || -> ..< ?? ?. === !== &+ &- &* &+= &-= &*= ~="),
    # Not: any, convenience, dynamic, get, lazy, left, none, open, optional, required, set, some, unowned, weak.
    keywords=word_set(
        b"Self actor as associatedtype async await break case catch class continue default defer deinit do else",
        b"enum extension fallthrough false fileprivate final for func guard if import in indirect init inout",
        b"internal is let mutating nil nonisolated nonmutating operator override precedencegroup private protocol",
        b"public repeat rethrows return self static struct subscript super switch throw throws true try typealias",
        b"var where while",
    ),
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
    care=SWIFT_QUOTES.care(),
)

CSHARP = LanguageFamily(
    name="csharp",
    revision=3,
    languages=("csharp",),
    line_comment=b"//",
    spans=(
        BLOCK_COMMENT,
        # Doubled quotation marks in it stand for one.
        SpanRule("string", b"@", (rb'(?:@\$?|\$@)"',), closer=rb'(?:""[^"\0]*){0,4095}"'),
        SpanRule("string", b'"""', (rb'\${0,4}(?P<marks>"{3,255})',), closer=rb"(?P=marks)"),
    ),
    operators=ARITHMETIC + words(b"&& || ++ -- -> => :: .. ?. ?? ??= >>> >>>="),
    # Not: from, get, partial, record, select, set, value, where and other words that are keywords in their place.
    keywords=word_set(
        b"abstract as async await base bool break byte case catch char checked class const continue decimal",
        b"default define delegate do double elif else endif endregion enum event explicit extern false finally",
        b"fixed float for foreach goto if implicit in int interface internal is lock long namespace new null",
        b"object operator out override params pragma private protected public readonly ref region return sbyte",
        b"sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong",
        b"unchecked undef unsafe ushort using var virtual void volatile while yield",
    ),
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
    care=CSHARP_QUOTES.care(),
)

DART = LanguageFamily(
    name="dart",
    revision=2,
    languages=("dart",),
    line_comment=b"//",
    spans=(
        NESTED_COMMENT,
        *(SpanRule("string", b"r" + mark, (b"r" + mark,), closer=mark) for mark in (b'"""', b"'''")),
        multiline_string(b'"""'),
        multiline_string(b"'''"),
    ),
    operators=ARITHMETIC + words(b"&& || ++ -- => .. ?.. ...? ?. ?? ??= ~/ ~/= >>> >>>="),
    # Not: as, dynamic, get, hide, library, of, on, operator, part, set, show, and other names.
    keywords=word_set(
        b"abstract assert async await break case catch class const continue covariant default do else enum export",
        b"extends external factory false final finally for if implements import in is late mixin new null required",
        b"rethrow return static super switch this throw true try typedef var void while with yield",
    ),
    # Nothing is escaped after an r.
    rules=(LexemeRule("string", rb'r"[^"\n\0]*"?'), LexemeRule("string", rb"r'[^'\n\0]*'?")),
    letters=b"$",
    care=DART_QUOTES.care(),
)
