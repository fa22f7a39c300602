"""Languages of web pages: PHP, whose files are text with code in it, and the text between scripts and styles."""

from __future__ import annotations

from winnow_ci.languages.families.quotation import PHP_QUOTES
from winnow_ci.languages.families.syntax import (
    ALL_WORDS,
    ARITHMETIC,
    BLOCK_COMMENT,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    multiline_string,
    word_set,
    words,
)

PHP = LanguageFamily(
    name="php",
    revision=1,
    languages=("php", "html+php"),
    line_comment=b"//",
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
    # Not: enum, from, list, match, mixed, object, readonly, string.
    keywords=word_set(
        b"abstract and array as break callable case catch class clone const continue declare default do echo else",
        b"elseif empty enddeclare endfor endforeach endif endswitch endwhile exit extends false final finally fn",
        b"for foreach function global goto if implements include include_once instanceof insteadof interface isset",
        b"namespace new null or parent print private protected public require require_once return self static",
        b"switch throw trait true try unset use var while xor yield",
    ),
    rules=(
        # The end of the code ends a comment, too. A hash sign with a bracket opens an attribute.
        LexemeRule("comment", rb"(?:#(?!\[)|//)[^?\n\0]*(?:\?(?!>)[^?\n\0]*){0,4095}", starts=rb"#|//"),
        LexemeRule("mark", rb"<\?(?:php\b|=)?|\?>"),
    ),
    letters=b"$",
    any_case=("word",),
    care=PHP_QUOTES.care(),
    begins_as_text=rb"(?=<\?(?:php\b|=))|\?>",
)

# ``markup_tokenizer`` cuts documents into this and the families of scripts and styles.
HTML = LanguageFamily(
    name="markup",
    revision=2,
    languages=("html", "vue"),
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
    keywords=frozenset(),
    quotes=b"",
    any_case=ALL_WORDS,
)
