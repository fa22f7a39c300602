"""Languages with braces and C's operators, those of the Java platform among them."""

from __future__ import annotations

from winnow_ci.languages.families.careful_reading import QuoteForm, quotes, simple_quotes
from winnow_ci.languages.families.javascript_doubts import JavaScript
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
    word_set,
    words,
)

_TEXTS = (b'"""', b"'''")
_DOLLAR = rb"\$\{"

_DIGRAPHS = words(b"<% { %> } <: [ :> ] %: # %:%: ##")
_TRIGRAPHS = words(b"??< { ??> } ??( [ ??) ] ??= # ??=??= ## ??! | ??!??! || ??' ^ ??- ~")
_SPELLINGS = tuple(zip((_DIGRAPHS + _TRIGRAPHS)[::2], (_DIGRAPHS + _TRIGRAPHS)[1::2], strict=True))

C = LanguageFamily(
    name="c",
    revision=2,
    languages=("c", "cpp", "objective-c", "objective-c++", "cuda", "arduino"),
    line_comment=b"//",
    spans=(
        # A backslash at the end of a line joins two lines, even within a mark.
        BLOCK_COMMENT._replace(closer=rb"\*(?:\\\n){0,9}/"),
        SpanRule("string", b'R"', (rb'(?:u8|[uUL])?R"([^()\\\s\0]{0,16})\(',), closer=rb'\)\1"'),
    ),
    operators=ARITHMETIC + words(b"&& || ++ -- -> :: .* ->* <=> ##") + tuple(spelling for spelling, _ in _SPELLINGS),
    keywords=word_set(
        b"auto break case char const continue default do double else enum extern float for goto if inline int long",
        b"register restrict return short signed sizeof static struct switch typedef union unsigned void volatile",
        b"while _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert",
        b"_Thread_local alignas alignof bool constexpr decltype false noexcept nullptr static_assert thread_local",
        b"true typeof asm catch char8_t char16_t char32_t class co_await co_return co_yield concept const_cast",
        b"consteval constinit delete dynamic_cast explicit export friend mutable namespace new operator private",
        b"protected public reinterpret_cast requires static_cast template this throw try typeid typename using",
        b"virtual wchar_t",
        b"define elif endif ifdef ifndef include pragma undef",
    ),
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
    languages=("javascript", "jsx", "typescript", "tsx"),
    line_comment=b"//",
    spans=(BLOCK_COMMENT, multiline_string(b"`")),
    operators=ARITHMETIC + words(b"&& || ++ -- === !== => ** **= >>> >>>= ?? ??= ?. &&= ||="),
    # Not: async, from, get, of, set, static, type and other words that are keywords only in their place.
    keywords=word_set(
        b"await break case catch class const continue debugger default delete do else enum export extends false",
        b"finally for function if import in instanceof let new null return super switch this throw true try typeof",
        b"var void while with yield",
    ),
    letters=b"$",
    # What begins or ends a comment of HTML makes a line of a script one, too (ECMA-262, B.1.1).
    rules=(LexemeRule("mark", rb"<!--[^\n\0]*", starts=rb"<!--|-->"), ESCAPED_NAME),
    name_end=MORE_ESCAPED,
    regex_after=(rb"[(,=:\[!&|?{;]", rb"=>", rb"[^+]\+", rb"\breturn", rb"\btypeof", rb"\bcase"),
    care=JavaScript(),
)

GO = LanguageFamily(
    name="go",
    languages=("go",),
    line_comment=b"//",
    spans=(BLOCK_COMMENT, SpanRule("string", b"`", (rb"`",), closer=b"`")),
    operators=ARITHMETIC + words(b"&& || ++ -- <- := &^ &^="),
    keywords=word_set(
        b"break case chan const continue default defer else fallthrough for func go goto if import interface map",
        b"package range return select struct switch type var",
    ),
)

SOLIDITY = LanguageFamily(
    name="solidity",
    languages=("solidity",),
    line_comment=b"//",
    spans=(BLOCK_COMMENT,),
    operators=ARITHMETIC + words(b"&& || ++ -- => -> ** >>> >>>= :="),
    # Not: error, from, global, layout, revert, transient and other words that are keywords only in their place.
    keywords=word_set(
        b"abstract address anonymous as assembly assert bool break bytes bytes1 bytes4 bytes20 bytes32 calldata",
        b"case catch constant constructor continue contract default delete do else emit enum event external",
        b"fallback false final fixed for function if immutable import indexed int int128 int256 interface internal",
        b"is leave let library mapping memory modifier new override payable pragma private public pure receive",
        b"require return returns storage string struct super switch this throw true try type ufixed uint uint8",
        b"uint16 uint32 uint64 uint128 uint160 uint256 unchecked using var view virtual while days ether gwei",
        b"hours minutes seconds weeks wei",
    ),
    prefix=rb"(?:hex|unicode)",
    letters=b"$",
)

ZIG = LanguageFamily(
    name="zig",
    languages=("zig",),
    line_comment=b"//",
    operators=ARITHMETIC + words(b"++ ** => || .* .? .{ <<| <<|= +% -% *% +%= -%= *%= +| -| *| +|= -|= *|= .."),
    # Each line of a string of several lines has its own mark.
    rules=(LexemeRule("string", rb"\\\\[^\n\0]*"),),
    keywords=word_set(
        b"addrspace align allowzero and anyframe anytype asm break callconv catch comptime const continue defer",
        b"else enum errdefer error export extern false fn for if inline linksection noalias noinline nosuspend",
        b"null opaque or orelse packed pub resume return struct suspend switch test threadlocal true try undefined",
        b"union unreachable usingnamespace var void volatile while anyerror bool comptime_float comptime_int f32",
        b"f64 i8 i16 i32 i64 isize noreturn type u8 u16 u32 u64 usize",
    ),
    letters=b"@",
)

RUST = LanguageFamily(
    name="rust",
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
    languages=("java",),
    line_comment=b"//",
    spans=(BLOCK_COMMENT, multiline_string(b'"""')),
    operators=ARITHMETIC + words(b"&& || ++ -- -> :: >>> >>>="),
    keywords=word_set(
        b"abstract assert boolean break byte case catch char class const continue default do double else enum",
        b"extends false final finally float for goto if implements import instanceof int interface long native new",
        b"null package private protected public return short static strictfp super switch synchronized this throw",
        b"throws transient true try void volatile while",
    ),
    letters=b"$",
    unicode_escapes=ALL_ASCII,
)

# More than three quotation marks close it, too: the first ones are its last characters.
_RAW_STRING = SpanRule("string", b'"""', (rb'"""',), closer=b'""""*')

KOTLIN = LanguageFamily(
    name="kotlin",
    languages=("kotlin",),
    line_comment=b"//",
    spans=(NESTED_COMMENT, _RAW_STRING),
    operators=ARITHMETIC + words(b"&& || ++ -- -> :: .. ..< ?. ?: !! === !=="),
    # Not: by, constructor, data, get, init, inner, open, operator, set, value, where, and other names.
    keywords=word_set(
        b"abstract as break catch class companion const continue crossinline do else enum false final finally for",
        b"fun if import in inline interface internal is lateinit noinline null object override package private",
        b"protected public reified return sealed super suspend tailrec this throw true try typealias typeof val",
        b"var vararg when while",
    ),
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
    languages=("groovy",),
    line_comment=b"//",
    spans=(
        BLOCK_COMMENT,
        multiline_string(b'"""'),
        multiline_string(b"'''"),
        # A dollar sign escapes itself and a slash.
        SpanRule("string", b"$/", (rb"\$/(?!\$)",), closer=rb"(?:(?<!\$)|(?<=\$\$))/\$"),
    ),
    operators=ARITHMETIC + words(b"&& || ++ -- -> :: ** **= >>> >>>= .. ..< ?. ?: ?= *. .& .@ =~ ==~ <=> === !=="),
    # Not: record, sealed, trait, var, yield.
    keywords=word_set(
        b"abstract as assert boolean break byte case catch char class const continue def default do double else",
        b"enum extends false final finally float for goto if implements import in instanceof int interface long",
        b"native new null package private protected public return short static strictfp super switch synchronized",
        b"this threadsafe throw throws transient true try void volatile while",
    ),
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
