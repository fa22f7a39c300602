"""Languages of numerical work: R, Julia, Fortran, MATLAB and Octave."""

from __future__ import annotations

from winnow_ci.languages.families.quotation import JULIA_QUOTES
from winnow_ci.languages.families.syntax import (
    ALL_WORDS,
    ARITHMETIC,
    BACKTICKED_NAME,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    line_comment,
    line_string,
    multiline_string,
    word_set,
    words,
)

_R_NAME = rb"(?:[A-Za-z_\x80-\xff]|\.(?![0-9]))[\w.\x80-\xff]*"

R = LanguageFamily(
    name="r",
    revision=1,
    languages=("r",),
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
    keywords=word_set(
        b"FALSE Inf NA NA_character_ NA_complex_ NA_integer_ NA_real_ NULL NaN TRUE break else for function if in",
        b"next repeat return while",
    ),
    rules=(
        LexemeRule("name", _R_NAME, starts=_R_NAME + rb"\Z"),
        BACKTICKED_NAME,
        LexemeRule("word", rb"%[^%\s\0]{0,30}%"),
    ),
)

JULIA = LanguageFamily(
    name="julia",
    revision=1,
    languages=("julia",),
    line_comment=b"#",
    # Operators beyond ASCII are letters here, and a name right after a number is the number's suffix.
    spans=(
        SpanRule("comment", b"#=", (rb"#=",), closer=rb"=#", nests=(b"#=", b"=#")),
        multiline_string(b'"""', prefix=rb"[A-Za-z]{1,8}"),
        multiline_string(b"```"),
    ),
    operators=ARITHMETIC + words(b"&& || -> => :: <: >: === !== .. // //= ^= |> <| >>> >>>="),
    # Not: abstract, outer, primitive, type, which are keywords in pairs only.
    keywords=word_set(
        b"baremodule begin break catch const continue do else elseif end export false finally for function global",
        b"if import in isa let local macro module mutable quote return struct true try using where while",
    ),
    quotes=b'"`',
    care=JULIA_QUOTES.care(),
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
    revision=1,
    languages=("fortran",),
    line_comment=b"!",
    spans=(),
    operators=words(b"** // == /= <= >= => :: (/ /)"),
    rules=(
        # Only continues a line.
        LexemeRule("mark", rb"&"),
        LexemeRule("name", rb"\.[A-Za-z]{1,30}\."),
        LexemeRule("number", rb"[0-9]+(?:\.(?![A-Za-z]{1,30}\.)[0-9]*)?(?:[dDeE][+-]?[0-9]+)?(?:_\w+)?"),
        line_string(b'"'),
        line_string(b"'"),
    ),
    keywords=word_set(
        b"abstract allocatable allocate assign associate asynchronous backspace bind block call case character",
        b"class close codimension common complex concurrent contains contiguous continue critical cycle data",
        b"deallocate deferred dimension do double elemental else elseif elsewhere end enddo endfile endfunction",
        b"endif endmodule endprogram endselect endsubroutine endtype endwhere endforall endinterface entry enum",
        b"enumerator equivalence exit extends external final flush forall format function generic go goto if",
        b"implicit import impure in include inout inquire integer intent interface intrinsic kind len logical",
        b"module namelist none nopass nullify only open operator optional out parameter pass pause pointer",
        b"precision print private procedure program protected public pure read real recursive result return rewind",
        b"save select sequence stop submodule subroutine target then to type use value volatile wait where while",
        b"write .and. .or. .not. .eqv. .neqv. .true. .false. .eq. .ne. .lt. .le. .gt. .ge.",
    ),
    quotes=b"",
    any_case=ALL_WORDS,
)

FIXED_FORTRAN = FORTRAN._replace(
    languages=("fortranfixed",),
    # A comment has its mark in the first column, a continued line one in the sixth.
    rewritten=(
        (rb"(?m)^[cC*]", b"!"),
        (rb"(?m)(?<=^ {5})[^ 0!\n\0\t]", b"&"),
        (rb"(?m)(?<=^\t)[1-9]", b"&"),
    ),
)


def _begins_line(mark: bytes) -> bytes:
    """Regular expression: nothing but white space, of which there is little, stands before a mark on its line."""
    return b"|".join(rb"(?<=\n[ \t]{%d}%b)" % (count, mark) for count in range(41)) + rb"|(?<![\s\S]%b)" % mark


MATLAB = LanguageFamily(
    name="matlab",
    revision=1,
    languages=("matlab", "octave"),
    line_comment=b"%",
    spans=(
        *(
            SpanRule(
                "comment",
                mark + b"{",
                (rb"%b(?:%b)\{(?=[ \t]{0,99}\n)" % (mark, _begins_line(mark)),),
                closer=rb"\n[ \t]*%b\}" % mark,
            )
            for mark in (b"%", b"#")
        ),
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
    keywords=word_set(
        b"break case catch classdef continue do else elseif end end_try_catch end_unwind_protect endfor",
        b"endfunction endif endswitch endwhile enumeration events for function global if methods otherwise parfor",
        b"persistent properties return spmd switch try until unwind_protect unwind_protect_cleanup while",
    ),
    quotes=b"",
)
