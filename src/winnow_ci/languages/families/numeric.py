"""R and Julia."""

from __future__ import annotations

from winnow_ci.languages.families.shape import ARITHMETIC, BACKTICKED_NAME, Family, Form, Span, words

_R_NAME = rb"(?:[A-Za-z_\x80-\xff]|\.(?![0-9]))[\w.\x80-\xff]*"

R = Family(
    name="r",
    revision=1,
    languages=("r",),
    line_comment=b"#",
    spans=(
        *(
            Span(
                "string",
                opening[1:],
                (rb"""[rR](?P<mark%b>["'])(?P<dashes%b>-{0,16})%b""" % (kind, kind, opening),),
                closer=rb"%b(?P=dashes%b)(?P=mark%b)" % (closing, kind, kind),
            )
            for kind, opening, closing in ((b"1", rb"\(", rb"\)"), (b"2", rb"\[", rb"\]"), (b"3", rb"\{", rb"\}"))
        ),
        Span("string", b'"', (rb'"',), closer=b'"', escapes=True),
        Span("string", b"'", (rb"'",), closer=b"'", escapes=True),
    ),
    operators=words(b"<- <<- -> ->> == != <= >= && || := :: ::: |>"),
    keywords=frozenset(
        words(
            b"FALSE Inf NA NA_character_ NA_complex_ NA_integer_ NA_real_ NULL NaN TRUE break else for function if in",
            b"next repeat return while",
        )
    ),
    forms=(
        Form("name", _R_NAME, starts=_R_NAME + rb"\Z"),
        BACKTICKED_NAME,
        Form("word", rb"%[^%\s\0]{0,30}%"),
    ),
)

JULIA = Family(
    name="julia",
    revision=1,
    languages=("julia",),
    line_comment=b"#",
    # Operators beyond ASCII are letters here, and what is multiplied by a number before it is the number's suffix.
    spans=(
        Span("comment", b"#=", (rb"#=",), closer=rb"=#", nests=(b"#=", b"=#")),
        Span("string", b'"""', (rb'"""', rb'[A-Za-z]{1,8}"""'), closer=b'"""', escapes=True),
        Span("string", b"```", (rb"```",), closer=b"```", escapes=True),
    ),
    operators=ARITHMETIC + words(b"&& || -> => :: <: >: === !== .. // //= ^= |> <| >>> >>>="),
    # Not: abstract, outer, primitive, type, which are keywords in pairs only.
    keywords=frozenset(
        words(
            b"baremodule begin break catch const continue do else elseif end export false finally for function global",
            b"if import in isa let local macro module mutable quote return struct true try using where while",
        )
    ),
    quotes=b'"`',
    prefix=rb"(?:raw|[bvrs])",
    forms=(
        # After an operand an apostrophe transposes it.
        Form(
            "string",
            rb"'(?<![\w)\]}'\x80-\xff]')(?:\\[^\n\0][^'\n\0]{0,9}|[^\\'\n\0\x80-\xff]|[\x80-\xff]{1,4})'",
            starts=rb"'[^']",
        ),
    ),
    name_end=rb"(?:!(?!=))?",
)
