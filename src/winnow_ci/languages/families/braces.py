"""Languages with braces and C's operators, those of the Java platform among them."""

from __future__ import annotations

from winnow_ci.languages import javascript_doubts
from winnow_ci.languages.families.quotation import GROOVY_QUOTES, KOTLIN_QUOTES, SCALA_QUOTES
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
    care=javascript_doubts.CARE,
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

GO = LanguageFamily(
    name="go",
    revision=1,
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
    revision=1,
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
    revision=1,
    languages=("zig",),
    line_comment=b"//",
    spans=(),
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

# More than three quotation marks close it, too: the first ones are its last characters.
_RAW_STRING = SpanRule("string", b'"""', (rb'"""',), closer=b'""""*')

KOTLIN = LanguageFamily(
    name="kotlin",
    revision=1,
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
    care=KOTLIN_QUOTES.care(),
)

SCALA = LanguageFamily(
    name="scala",
    revision=3,
    languages=("scala",),
    line_comment=b"//",
    spans=(NESTED_COMMENT, SpanRule("string", b'"""', (rb'(?:s|f|raw)?"""',), closer=b'""""*')),
    operators=ARITHMETIC + words(b"&& || => <- -> :: ::: ++ -- <: >: <% >>> +: :+ ++= =:= ??? #:: =>> ?=>"),
    # Not: end, enum, given, export, extension, inline, open, opaque, then, using, which older code uses as names.
    keywords=word_set(
        b"abstract case catch class def do else extends false final finally for forSome if implicit import lazy",
        b"match new null object override package private protected return sealed super this throw trait true try",
        b"type val var while with yield",
    ),
    quotes=b'"',
    prefix=rb"(?:s|f|raw)",
    rules=(
        LexemeRule("string", rb"'(?:\\[^\n\0][^'\n\0]{0,6}|[^\\'\n\0\x80-\xff]|[\x80-\xff]{1,4})'"),
        LexemeRule("name", rb"'[A-Za-z_][\w\x80-\xff]*"),
        BACKTICKED_NAME,
    ),
    letters=b"$",
    unicode_escapes=NO_QUOTES,
    care=SCALA_QUOTES.care(),
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
    care=GROOVY_QUOTES.care(),
)
