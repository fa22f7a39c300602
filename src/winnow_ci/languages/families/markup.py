"""The text between scripts and styles; ``languages.markup`` cuts documents into these."""

from __future__ import annotations

from winnow_ci.languages.families.shape import ALL_WORDS, Family, Form, Span, words

HTML = Family(
    name="markup",
    revision=1,
    languages=("html", "vue"),
    line_comment=b"",
    spans=(
        Span("comment", b"<!--", (rb"<!--",), closer=rb"-->"),
        # An attribute's value: elsewhere a quotation mark is a mark of the text, and an apostrophe opens nothing.
        Span("string", b'="', (rb'"(?<![^=]")',), closer=b'"'),
        Span("string", b"='", (rb"'(?<![^=]')",), closer=b"'"),
    ),
    operators=words(b"</ /> <! && || == != === !== => <= >= {{ }} {# {/ {: {@"),
    # Elements, attributes and text are words alike: there is nothing that a copier would rename.
    forms=(
        Form("word", rb"[A-Za-z_\x80-\xff][\w\x80-\xff-]*"),
        Form("number", rb"[0-9]\w*"),
        Form("word", rb"[\"']", starts=rb"[\"']\Z"),
    ),
    keywords=frozenset(),
    quotes=b"",
    any_case=ALL_WORDS,
)
