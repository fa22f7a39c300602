"""Languages with braces and C's operators."""

from __future__ import annotations

from winnow_ci.languages.families.shape import ARITHMETIC, BLOCK_COMMENT, Family, Span, words

C = Family(
    name="c",
    revision=1,
    languages=("c", "cpp", "objective-c", "objective-c++", "cuda", "arduino"),
    line_comment=b"//",
    spans=(
        BLOCK_COMMENT,
        Span(
            "string",
            marker=b'R"',
            openers=(rb'(?:u8|[uUL])?R"([^()\\\s\0]{0,16})\(',),
            closer=rb'\)\1"',
        ),
    ),
    operators=ARITHMETIC + words(b"&& || ++ -- -> :: .* ->* <=> ##"),
    keywords=frozenset(
        words(
            b"auto break case char const continue default do double else enum extern float for goto if inline int long",
            b"register restrict return short signed sizeof static struct switch typedef union unsigned void volatile",
            b"while _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert",
            b"_Thread_local alignas alignof bool constexpr decltype false noexcept nullptr static_assert thread_local",
            b"true typeof asm catch char8_t char16_t char32_t class co_await co_return co_yield concept const_cast",
            b"consteval constinit delete dynamic_cast explicit export friend mutable namespace new operator private",
            b"protected public reinterpret_cast requires static_cast template this throw try typeid typename using",
            b"virtual wchar_t",
            b"define elif endif ifdef ifndef include pragma undef",
        )
    ),
    prefix=rb"[uUL]8?",
    digit_separator=b"'",
    spliced_comments=True,
)

JAVASCRIPT = Family(
    name="javascript",
    revision=1,
    languages=("javascript", "jsx", "typescript", "tsx"),
    line_comment=b"//",
    spans=(BLOCK_COMMENT, Span("string", b"`", (rb"`",), closer=b"`", escapes=True)),
    operators=ARITHMETIC + words(b"&& || ++ -- === !== => ** **= >>> >>>= ?? ??= ?. &&= ||="),
    # Not: async, from, get, of, set, static, type and other words that are keywords only in their place.
    keywords=frozenset(
        words(
            b"await break case catch class const continue debugger default delete do else enum export extends false",
            b"finally for function if import in instanceof let new null return super switch this throw true try typeof",
            b"var void while with yield",
        )
    ),
    letters=b"$",
    regex_after=(rb"[(,=:\[!&|?{;]", rb"=>", rb"[^+]\+", rb"\breturn", rb"\btypeof", rb"\bcase"),
)

JAVA = Family(
    name="java",
    revision=1,
    languages=("java",),
    line_comment=b"//",
    spans=(BLOCK_COMMENT, Span("string", b'"""', (rb'"""',), closer=b'"""', escapes=True)),
    operators=ARITHMETIC + words(b"&& || ++ -- -> :: >>> >>>="),
    keywords=frozenset(
        words(
            b"abstract assert boolean break byte case catch char class const continue default do double else enum",
            b"extends false final finally float for goto if implements import instanceof int interface long native new",
            b"null package private protected public return short static strictfp super switch synchronized this throw",
            b"throws transient true try void volatile while",
        )
    ),
    letters=b"$",
)

GO = Family(
    name="go",
    revision=1,
    languages=("go",),
    line_comment=b"//",
    spans=(BLOCK_COMMENT, Span("string", b"`", (rb"`",), closer=b"`")),
    operators=ARITHMETIC + words(b"&& || ++ -- <- := &^ &^="),
    keywords=frozenset(
        words(
            b"break case chan const continue default defer else fallthrough for func go goto if import interface map",
            b"package range return select struct switch type var",
        )
    ),
)
