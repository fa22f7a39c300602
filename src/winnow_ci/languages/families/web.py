"""PHP, whose files are text with code in it."""

from __future__ import annotations

from winnow_ci.languages.families.shape import ARITHMETIC, BLOCK_COMMENT, Family, Form, Span, words

PHP = Family(
    name="php",
    revision=1,
    languages=("php", "html+php"),
    line_comment=b"//",
    spans=(
        BLOCK_COMMENT,
        Span("text", b"?>", (rb"\?>",), closer=rb"(?:<\?(?:php\b|=)?|(?=\0))"),
        Span(
            "string",
            b"<<<",
            (rb"""<<<[ \t]{0,8}["']?(?P<here>[A-Za-z_]\w*)["']?(?=\n)""",),
            closer=rb"\n[ \t]*(?P=here)\b",
        ),
        Span("string", b'"', (rb'"',), closer=b'"', escapes=True),
        Span("string", b"'", (rb"'",), closer=b"'", escapes=True),
        Span("string", b"`", (rb"`",), closer=b"`", escapes=True),
    ),
    operators=ARITHMETIC + words(b"&& || ++ -- -> ?-> => :: ** **= .= <=> === !== <> ?? ??= |>"),
    # Not: enum, from, list, match, mixed, object, readonly, string.
    keywords=frozenset(
        words(
            b"abstract and array as break callable case catch class clone const continue declare default do echo else",
            b"elseif empty enddeclare endfor endforeach endif endswitch endwhile exit extends false final finally fn",
            b"for foreach function global goto if implements include include_once instanceof insteadof interface isset",
            b"namespace new null or parent print private protected public require require_once return self static",
            b"switch throw trait true try unset use var while xor yield",
        )
    ),
    forms=(
        # The end of the code ends a comment, too. A hash sign with a bracket opens an attribute.
        Form("comment", rb"(?:#(?!\[)|//)[^?\n\0]*(?:\?(?!>)[^?\n\0]*){0,4095}", starts=rb"#|//"),
        Form("mark", rb"<\?(?:php\b|=)?|\?>"),
    ),
    letters=b"$",
    any_case=("word",),
    begins_as_text=rb"(?=<\?(?:php\b|=))|\?>",
)
