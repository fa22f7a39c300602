"""Strings that hold code, or span lines, in languages whose table ends them at the first mark."""

from __future__ import annotations

from winnow_ci.languages.quotes_reading import QuoteForm, Quotes


def _simple(*marks: bytes, code: bytes = b"", spans_lines: bool = False) -> tuple[QuoteForm, ...]:
    return tuple(QuoteForm(mark, mark, code=code, spans_lines=spans_lines) for mark in marks)


_TEXTS = (b'"""', b"'''")
_DOLLAR = rb"\$\{"

KOTLIN_QUOTES = Quotes(
    (
        QuoteForm(rb'"""', b'"""', escape=b"", code=_DOLLAR, spans_lines=True),
        *_simple(b'"', code=_DOLLAR),
        *_simple(b"'"),
    )
)
GROOVY_QUOTES = Quotes(
    (
        QuoteForm(rb'"""', b'"""', code=_DOLLAR, spans_lines=True),
        *_simple(b"'''", spans_lines=True),
        *_simple(b'"', code=_DOLLAR),
        *_simple(b"'"),
    )
)
SCALA_QUOTES = Quotes(
    (
        QuoteForm(rb'(?:s|f)"""', b'"""', escape=b"", code=_DOLLAR, spans_lines=True),
        QuoteForm(rb'(?:raw)?"""', b'"""', escape=b"", spans_lines=True),
        QuoteForm(rb'(?:s|f|raw)"', b'"', code=_DOLLAR),
        *_simple(b'"'),
    )
)
DART_QUOTES = Quotes(
    (
        *(QuoteForm(rb"r" + mark, mark, escape=b"", spans_lines=True) for mark in _TEXTS),
        *(QuoteForm(mark, mark, code=_DOLLAR, spans_lines=True) for mark in _TEXTS),
        *(QuoteForm(rb"r" + mark, mark, escape=b"") for mark in (b'"', b"'")),
        *_simple(b'"', b"'", code=_DOLLAR),
    )
)
SWIFT_QUOTES = Quotes(
    (
        QuoteForm(rb'"""', b'"""', escape=rb"\\(?!\()", code=rb"\\\(", spans_lines=True),
        QuoteForm(rb'##"', b'"##', escape=b"", code=rb"\\##\("),
        QuoteForm(rb'#"', b'"#', escape=b"", code=rb"\\#\("),
        QuoteForm(rb'"', b'"', escape=rb"\\(?!\()", code=rb"\\\("),
    ),
    brackets=(b"(", b")"),
)
CSHARP_QUOTES = Quotes(
    (
        QuoteForm(rb'(?:\$@|@\$)"', b'"', escape=rb'"(?=")|\{(?=\{)', code=rb"\{(?!\{)", spans_lines=True),
        QuoteForm(rb'@"', b'"', escape=rb'"(?=")', spans_lines=True),
        QuoteForm(rb'\${1,4}"""', b'"""', escape=b"", spans_lines=True),
        QuoteForm(rb'\$"', b'"', escape=rb"\\|\{(?=\{)", code=rb"\{(?!\{)"),
        QuoteForm(rb'"""', b'"""', escape=b"", spans_lines=True),
        *_simple(b'"', b"'"),
    )
)
TERRAFORM_QUOTES = Quotes((QuoteForm(rb'"', b'"', escape=rb"\\|[$%](?=[$%]\{)", code=rb"[$%]\{"),))
SCSS_QUOTES = Quotes(_simple(b'"', b"'", code=rb"#\{"))
_F = rb"(?:[fFtT][rR]?|[rR][fFtT])"
_OTHER = rb"(?:[rRbBuU]{1,2})?"
PYTHON_QUOTES = Quotes(
    (
        *(
            QuoteForm(_F + mark, mark, escape=rb"\\|\{(?=\{)", code=rb"\{(?!\{)", spans_lines=len(mark) > 1)
            for mark in (*_TEXTS, b'"', b"'")
        ),
        *(QuoteForm(_OTHER + mark, mark, spans_lines=len(mark) > 1) for mark in (*_TEXTS, b'"', b"'")),
    )
)
ELIXIR_QUOTES = Quotes(
    (
        *(QuoteForm(rb"%b(?=[ \t]*\n)" % mark, b"\n" + mark, code=rb"#\{", spans_lines=True) for mark in _TEXTS),
        *_simple(b'"', b"'", code=rb"#\{", spans_lines=True),
    )
)
JULIA_QUOTES = Quotes(
    (
        QuoteForm(rb'"""', b'"""', code=rb"\$\(", spans_lines=True),
        QuoteForm(rb"```", b"```", spans_lines=True),
        *_simple(b'"', code=rb"\$\(", spans_lines=True),
        *_simple(b"`", spans_lines=True),
    ),
    brackets=(b"(", b")"),
)
PHP_QUOTES = Quotes((*_simple(b'"', code=rb"\{(?=\$)", spans_lines=True), *_simple(b"'", spans_lines=True)))
ERLANG_QUOTES = Quotes(_simple(b'"', b"'", spans_lines=True))
OCAML_QUOTES = Quotes(_simple(b'"', spans_lines=True))
POWERSHELL_QUOTES = Quotes(
    (
        QuoteForm(rb'"', b'"', escape=b'`|"(?=")', code=rb"\$\(", spans_lines=True),
        QuoteForm(rb"'", b"'", escape=b"'(?=')", spans_lines=True),
    ),
    brackets=(b"(", b")"),
)
RUBY_QUOTES = Quotes(
    (*_simple(b'"', b"`", code=rb"#\{", spans_lines=True), *_simple(b"'", spans_lines=True)),
)
PERL_QUOTES = Quotes(_simple(b'"', b"'", spans_lines=True))
SHELL_QUOTES = Quotes(
    (
        QuoteForm(rb"\$'", b"'", spans_lines=True),
        # Two strings without a blank between them are one.
        QuoteForm(rb"'", b"'", escape=rb"'(?=')", spans_lines=True),
        *_simple(b'"', code=rb"\$\(", spans_lines=True),
    ),
    brackets=(b"(", b")"),
)
