"""How a comment is written in a language: for what a person is told to put above a copy."""

from __future__ import annotations

from winnow_ci.languages.families import FAMILIES

_LINE_COMMENTS = {
    "#": """
        awk bash cmake coffeescript cr cython docker fish gap gdscript gherkin graphql make meson nginx nimrod nixos
        numpy perl6 powershell puppet robotframework sed tcl tcsh terraform toml yaml""",
    "//": """
        d fsharp gas glsl hlsl less objective-j protobuf ragel-c scss solidity stata supercollider swig systemverilog
        thrift typst verilog zig""",
    "--": "ada applescript elm haskell idris lean lean4 luau sql vhdl",
    ";": "autohotkey clojure common-lisp emacs-lisp fennel hylang ini nasm newlisp racket scheme",
    "%": "erlang matlab octave postscript prolog tex",
    "!": "fortran",
    "'": "vb.net vbscript",
    '"': "vim",
    "REM": "batch",
}
_BLOCK_COMMENTS = {
    ("/* ", " */"): "css",
    ("<!-- ", " -->"): "html markdown xml xslt",
    ("(* ", " *)"): "coq ocaml sml",
}
_MARKS = {
    **{name: (f"{mark} ", "") for mark, names in _LINE_COMMENTS.items() for name in names.split()},
    **{name: marks for marks, names in _BLOCK_COMMENTS.items() for name in names.split()},
    **{name: (f"{family.line_comment.decode()} ", "") for family in FAMILIES for name in family.languages},
}


def comment_marks(language: str | None) -> tuple[str, str]:
    """What opens and what closes a comment of one line, the spaces included; two empty texts if that is not known."""
    return _MARKS.get(language or "", ("", ""))
