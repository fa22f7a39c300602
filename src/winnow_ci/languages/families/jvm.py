"""Languages of the Java platform other than Java."""

from __future__ import annotations

from winnow_ci.languages.families.syntax import (
    ARITHMETIC,
    BACKTICKED_NAME,
    BLOCK_COMMENT,
    NESTED_COMMENT,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    word_set,
    words,
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
)

SCALA = LanguageFamily(
    name="scala",
    revision=1,
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
)

GROOVY = LanguageFamily(
    name="groovy",
    revision=1,
    languages=("groovy",),
    line_comment=b"//",
    spans=(
        BLOCK_COMMENT,
        SpanRule("string", b'"""', (rb'"""',), closer=b'"""', escapes=True),
        SpanRule("string", b"'''", (rb"'''",), closer=b"'''", escapes=True),
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
    # A string between slashes ends with its line here, and one between dollars and slashes is read as code.
    regex_after=(rb"[(,=:\[!&|?{;~]", rb"\breturn", rb"\bcase"),
)
