"""How a comment is written in a language: for what a person is told to put above a copy."""

from __future__ import annotations

from winnow_ci.languages.families import FAMILIES

_LINE_COMMENTS = {
    "#": """
        awk bash cmake coffeescript cr cython docker elixir fish gap gdscript gherkin graphql julia make meson nginx
        nimrod nixos numpy perl perl6 powershell puppet r robotframework ruby sed tcl tcsh terraform toml yaml""",
    "//": """
        csharp d dart fsharp gas glsl groovy hlsl kotlin less objective-j php protobuf ragel-c rust scala scss solidity
        stata supercollider swift swig systemverilog thrift typst verilog zig""",
    "--": "ada applescript elm haskell idris lean lean4 lua luau sql vhdl",
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
