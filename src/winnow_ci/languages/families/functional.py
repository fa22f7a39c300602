"""Functional languages, Scala among them, and languages of numerical work."""

from __future__ import annotations

from winnow_ci.languages.families.careful_reading import QuoteForm, quotes, simple_quotes
from winnow_ci.languages.families.syntax import (
    ALL_WORDS,
    ARITHMETIC,
    BACKTICKED_NAME,
    NESTED_COMMENT,
    NO_QUOTES,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    line_comment,
    line_string,
    multiline_string,
    words,
)

SCALA = LanguageFamily(
    name="scala",
    revision=3,
    spans=(NESTED_COMMENT, SpanRule("string", b'"""', (rb'(?:s|f|raw)?"""',), closer=b'""""*')),
    operators=ARITHMETIC + words(b"&& || => <- -> :: ::: ++ -- <: >: <% >>> +: :+ ++= =:= ??? #:: =>> ?=>"),
    quotes=b'"',
    prefix=rb"(?:s|f|raw)",
    rules=(
        LexemeRule("string", rb"'(?:\\[^\n\0][^'\n\0]{0,6}|[^\\'\n\0\x80-\xff]|[\x80-\xff]{1,4})'"),
        LexemeRule("name", rb"'[A-Za-z_][\w\x80-\xff]*"),
        BACKTICKED_NAME,
    ),
    letters=b"$",
    unicode_escapes=NO_QUOTES,
    care=quotes(
        QuoteForm(rb'(?:s|f)"""', b'"""', escape=b"", code=rb"\$\{", spans_lines=True),
        QuoteForm(rb'(?:raw)?"""', b'"""', escape=b"", spans_lines=True),
        QuoteForm(rb'(?:s|f|raw)"', b'"', code=rb"\$\{"),
        *simple_quotes(b'"'),
    ),
)

_CHARACTER = LexemeRule("string", rb"'(?:\\[^\n\0][^'\\\n\0]{0,8}'|[^'\\\n\0]'|[\x80-\xff]{2,4}')")
"""A character in quotes. Any other single quote marks a type variable or a promoted constructor."""

_PRIMES = rb"[\w\x80-\xff']*"

_SYMBOLS = rb"!#$%&*+./<=>?@\\^|~:-"

HASKELL = LanguageFamily(
    name="haskell",
    line_comment=b"--",
    spans=(
        SpanRule("comment", b"{-", (rb"\{-",), closer=rb"-\}", nests=(b"{-", b"-}")),
        # Only where the extension is named: [x|x<-xs] is a list elsewhere.
        SpanRule("string", b"QuasiQuotes", (rb"\[[A-Za-z_][\w.']*\|(?!\|)",), closer=rb"\|\]"),
    ),
    rules=(
        # More symbols make it an operator.
        line_comment(rb"--+(?![%b])" % _SYMBOLS),
        _CHARACTER,
        # Here a number never ends with a dot, which may be an operator.
        LexemeRule("number", rb"0[xXoObB]\w*|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?"),
        LexemeRule("word", rb"[%b]+" % _SYMBOLS),
    ),
    quotes=b'"',
    name_end=_PRIMES,
)

# Comments are read for the strings in them (OCaml, 11.1), but only for short ones, since a lone mark must not mislead.
_STRINGS_IN_COMMENTS = (
    rb"'\"'|'\\[\"']'|\"(?:[^\"\\\n\0]|\\[^\n\0]){0,200}\""
    rb"|\{(?P<quote>[a-z_]{0,16})\|[^\n\0]{0,200}?\|(?P=quote)\}"
)

OCAML = LanguageFamily(
    name="ocaml",
    line_comment=b"",
    spans=(
        SpanRule(
            "comment", b"(*", (rb"\(\*(?!\))",), closer=rb"\*\)", nests=(b"(*", b"*)"), between=_STRINGS_IN_COMMENTS
        ),
        SpanRule("string", b"|}", (rb"\{([a-z_]{0,16})\|",), closer=rb"\|\1\}"),
    ),
    operators=words(
        b"-> <- := :: .. ;; == != <> <= >= && || += -= *. +. -. /. ** |> @@ >>= >> << ^^ ~- [| |] [< >] :>",
        b"let* and* let+ and+ =<< >>| <$> <*> $> >|= %%",
    ),
    rules=(_CHARACTER,),
    quotes=b'"',
    name_end=_PRIMES,
    care=quotes(*simple_quotes(b'"', spans_lines=True)),
)

ERLANG = LanguageFamily(
    name="erlang",
    line_comment=b"%",
    spans=(SpanRule("string", b'"""', (rb'"""(?=[ \t]*\n)',), closer=rb'\n[ \t]*"""'),),
    operators=ARITHMETIC + words(b"-> <- => := :: ++ -- =:= =/= =< /= || .. <= << >> ?="),
    rules=(
        # A dot that no digit follows ends a clause.
        LexemeRule("number", rb"[0-9][0-9_]*(?:#\w+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)?"),
        LexemeRule("string", rb"\$(?:\\[^\n\0]|[^\\\n\0\x80-\xff]|[\x80-\xff]{1,4})?"),
    ),
    name_end=rb"[\w\x80-\xff@]*",
    care=quotes(*simple_quotes(b'"', b"'", spans_lines=True)),
)

_R_NAME = rb"(?:[A-Za-z_\x80-\xff]|\.(?![0-9]))[\w.\x80-\xff]*"

R = LanguageFamily(
    name="r",
    line_comment=b"#",
    spans=(
        *(
            SpanRule(
                "string",
                opening[1:],
                (rb"""[rR](?P<quote%b>["'])(?P<dashes%b>-{0,16})%b""" % (kind, kind, opening),),
                closer=rb"%b(?P=dashes%b)(?P=quote%b)" % (closing, kind, kind),
            )
            for kind, opening, closing in ((b"1", rb"\(", rb"\)"), (b"2", rb"\[", rb"\]"), (b"3", rb"\{", rb"\}"))
        ),
        multiline_string(b'"'),
        multiline_string(b"'"),
    ),
    operators=words(b"<- <<- -> ->> == != <= >= && || := :: ::: |>"),
    rules=(
        LexemeRule("name", _R_NAME, starts=_R_NAME + rb"\Z"),
        BACKTICKED_NAME,
        LexemeRule("word", rb"%[^%\s\0]{0,30}%"),
    ),
)

JULIA = LanguageFamily(
    name="julia",
    line_comment=b"#",
    # Operators beyond ASCII are letters here, and a name right after a number is the number's suffix.
    spans=(
        SpanRule("comment", b"#=", (rb"#=",), closer=rb"=#", nests=(b"#=", b"=#")),
        multiline_string(b'"""', prefix=rb"[A-Za-z]{1,8}"),
        multiline_string(b"```"),
    ),
    operators=ARITHMETIC + words(b"&& || -> => :: <: >: === !== .. // //= ^= |> <| >>> >>>="),
    quotes=b'"`',
    care=quotes(
        QuoteForm(rb'"""', b'"""', code=rb"\$\(", spans_lines=True),
        QuoteForm(rb"```", b"```", spans_lines=True),
        *simple_quotes(b'"', code=rb"\$\(", spans_lines=True),
        *simple_quotes(b"`", spans_lines=True),
        brackets=(b"(", b")"),
    ),
    prefix=rb"(?:raw|[bvrs])",
    rules=(
        # An apostrophe after an operand transposes it.
        LexemeRule(
            "string",
            rb"'(?<![\w)\]}'\x80-\xff]')(?:\\[^\n\0][^'\n\0]{0,9}|[^\\'\n\0\x80-\xff]|[\x80-\xff]{1,4})'",
            starts=rb"'[^']",
        ),
    ),
    name_end=rb"(?:!(?!=))?",
)

FORTRAN = LanguageFamily(
    name="fortran",
    line_comment=b"!",
    operators=words(b"** // == /= <= >= => :: (/ /)"),
    rules=(
        # Only continues a line.
        LexemeRule("mark", rb"&"),
        LexemeRule("name", rb"\.[A-Za-z]{1,30}\."),
        LexemeRule("number", rb"[0-9]+(?:\.(?![A-Za-z]{1,30}\.)[0-9]*)?(?:[dDeE][+-]?[0-9]+)?(?:_\w+)?"),
        line_string(b'"'),
        line_string(b"'"),
    ),
    quotes=b"",
    any_case=ALL_WORDS,
)

FIXED_FORTRAN = FORTRAN._replace(
    members="fortranfixed",
    # A comment has its mark in the first column, a continued line one in the sixth.
    rewritten=((rb"(?m)^[cC*]", b"!"), (rb"(?m)(?<=^ {5})[^ 0!\n\0\t]", b"&"), (rb"(?m)(?<=^\t)[1-9]", b"&")),
)


# Regular expressions of marks with only a little white space before them on their line.
_BEGINS_LINE = {
    mark: b"|".join(rb"(?<=\n[ \t]{%d}%b)" % (count, mark) for count in range(41)) + rb"|(?<![\s\S]%b)" % mark
    for mark in (b"%", b"#")
}

MATLAB = LanguageFamily(
    name="matlab",
    members="matlab octave",
    line_comment=b"%",
    spans=tuple(
        SpanRule(
            "comment",
            mark + b"{",
            (rb"%b(?:%b)\{(?=[ \t]{0,99}\n)" % (mark, begins_line),),
            closer=rb"\n[ \t]*%b\}" % mark,
        )
        for mark, begins_line in _BEGINS_LINE.items()
    ),
    operators=ARITHMETIC + words(b"&& || ~= .* ./ .\\ .^ .' ++ -- ** .** !="),
    rules=(
        # The rest of a line after dots is a comment, too.
        line_comment(rb"[%#]|\.\.\."),
        # After an operand it transposes; elsewhere it opens a string.
        LexemeRule("word", rb"(?<=[\w)\]}'.\x80-\xff])'", starts=rb"'\Z"),
        LexemeRule("word", rb"\\"),
        LexemeRule("number", rb"[0-9]+(?:\.(?![*/\\^'])[0-9]*)?(?:[eEdD][+-]?[0-9]+)?[ij]?(?!\w)|[0-9]\w*"),
        line_string(b'"'),
        line_string(b"'"),
    ),
    quotes=b"",
)
