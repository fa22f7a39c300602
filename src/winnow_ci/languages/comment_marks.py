"""How a comment is written in a language, to show people what to put above a copy."""

from __future__ import annotations

from winnow_ci.languages.families import FAMILIES

_LINE_COMMENTS = {
    "#": """
        awk cmake coffeescript cr cython docker fish gap gdscript gherkin graphql make meson nginx nimrod nixos numpy
        perl6 puppet robotframework sed tcl tcsh toml yaml""",
    "//": "d fsharp glsl hlsl objective-j ragel-c stata supercollider swig thrift typst",
    "--": "ada applescript elm idris lean lean4 luau",
    ";": "autohotkey clojure common-lisp emacs-lisp fennel hylang ini newlisp racket scheme",
    "%": "postscript prolog tex",
    "'": "vb.net vbscript",
    '"': "vim",
    "REM": "batch",
}
_BLOCK_COMMENTS = {
    ("/* ", " */"): "css",
    ("<!-- ", " -->"): "html markdown vue xml xslt",
    ("(* ", " *)"): "coq ocaml sml",
}
_OF_FAMILIES = {name: family.line_comment.decode() for family in FAMILIES for name in family.languages}
_MARKS = {
    **{name: (f"{mark} ", "") for mark, names in _LINE_COMMENTS.items() for name in names.split()},
    **{name: (f"{mark} ", "") for name, mark in _OF_FAMILIES.items() if mark},
    # Plain CSS has no line comments, though its family has.
    **{name: marks for marks, names in _BLOCK_COMMENTS.items() for name in names.split()},
}


def comment_marks(language: str | None) -> tuple[str, str]:
    """What opens and what closes a comment of one line, spaces included; two empty texts if unknown."""
    return _MARKS.get(language or "", ("", ""))
