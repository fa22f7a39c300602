"""Languages of numerical work: Fortran, MATLAB and Octave."""

from __future__ import annotations

from dataclasses import replace

from winnow_ci.languages.families.shape import ARITHMETIC, Family, Form, Span, words

FORTRAN = Family(
    name="fortran",
    revision=1,
    languages=("fortran",),
    line_comment=b"!",
    spans=(),
    operators=words(b"** // == /= <= >= => :: (/ /)"),
    forms=(
        # Nothing but a line's continuation.
        Form(rb"&", "mark"),
        Form(rb"\.[A-Za-z]{1,30}\.", "name"),
        Form(rb"[0-9]+(?:\.(?![A-Za-z]{1,30}\.)[0-9]*)?(?:[dDeE][+-]?[0-9]+)?(?:_\w+)?"),
    ),
    keywords=frozenset(
        words(
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
        )
    ),
    quotes=b"",
    doubled=b"\"'",
    ignores_case=True,
)

FIXED_FORTRAN = replace(
    FORTRAN,
    languages=("fortranfixed",),
    # A comment has its mark in the first column, a continued line one in the sixth.
    rewritten=(
        (rb"(?m)^[cC*]", b"!"),
        (rb"(?m)(?<=^ {5})[^ 0!\n\0\t]", b"&"),
        (rb"(?m)(?<=^\t)[1-9]", b"&"),
    ),
)

MATLAB = Family(
    name="matlab",
    revision=1,
    languages=("matlab", "octave"),
    line_comment=b"%",
    # What follows dots on their line is a comment, too.
    comment=rb"[%#]|\.\.\.",
    spans=(
        Span("comment", b"%{", (rb"%\{(?=[ \t]{0,99}\n)",), closer=rb"\n[ \t]*%\}", behind=rb"(?<![^\x01-\x20])"),
        Span("comment", b"#{", (rb"#\{(?=[ \t]{0,99}\n)",), closer=rb"\n[ \t]*#\}", behind=rb"(?<![^\x01-\x20])"),
    ),
    operators=ARITHMETIC + words(b"&& || ~= .* ./ .\\ .^ .' ++ -- ** .** !="),
    forms=(
        # Behind an operand it transposes; elsewhere it opens a string.
        Form(rb"(?<=[\w)\]}'.\x80-\xff])'", "word", rb"'\Z"),
        Form(rb"\\", "word"),
        Form(rb"[0-9]+(?:\.(?![*/\\^'])[0-9]*)?(?:[eEdD][+-]?[0-9]+)?[ij]?(?!\w)|[0-9]\w*"),
    ),
    keywords=frozenset(
        words(
            b"break case catch classdef continue do else elseif end end_try_catch end_unwind_protect endfor",
            b"endfunction endif endswitch endwhile enumeration events for function global if methods otherwise parfor",
            b"persistent properties return spmd switch try until unwind_protect unwind_protect_cleanup while",
        )
    ),
    quotes=b"",
    doubled=b"\"'",
)
