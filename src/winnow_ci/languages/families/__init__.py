"""The languages of the table-driven tokenizer: one table entry a family.

Languages that share files or copy from each other are one family, so that a header matches whether it is called ``.h``
or ``.hpp``, and a function with or without types. A family's keywords are those of all its languages, except words
that ordinary code of one of them uses as names.

``docs/adding-a-language.md`` says how to add one. Raise ``revision`` whenever an entry changes: an index made with
another revision is refused.
"""

from __future__ import annotations

from winnow_ci.languages.families.braces import GO, GROOVY, JAVA, JAVASCRIPT, KOTLIN, SCALA, SOLIDITY, ZIG, C
from winnow_ci.languages.families.declarative import CSS, PROTOBUF, SQL, TERRAFORM
from winnow_ci.languages.families.functional import ERLANG, HASKELL, OCAML
from winnow_ci.languages.families.hardware import GAS, NASM, VERILOG, VHDL
from winnow_ci.languages.families.native import CSHARP, DART, RUST, SWIFT
from winnow_ci.languages.families.numeric import FIXED_FORTRAN, FORTRAN, JULIA, MATLAB, R
from winnow_ci.languages.families.scripts import ELIXIR, LUA, PERL, PYTHON, RUBY
from winnow_ci.languages.families.shells import POWERSHELL, SHELL
from winnow_ci.languages.families.syntax import LanguageFamily, LexemeRule, SpanRule
from winnow_ci.languages.families.web import HTML, PHP

__all__ = ["CSS", "FAMILIES", "FAMILY_OF", "HTML", "JAVASCRIPT", "C", "LanguageFamily", "LexemeRule", "SpanRule"]

FAMILIES: tuple[LanguageFamily, ...] = (
    *(C, PYTHON, JAVASCRIPT, JAVA, GO),
    *(CSHARP, DART, GROOVY, KOTLIN, PHP, RUST, SCALA, SOLIDITY, SWIFT, ZIG),
    *(ELIXIR, JULIA, LUA, PERL, R, RUBY),
    *(ERLANG, HASKELL, OCAML),
    *(POWERSHELL, SHELL),
    *(CSS, PROTOBUF, SQL, TERRAFORM),
    *(GAS, NASM, VERILOG, VHDL),
    *(FIXED_FORTRAN, FORTRAN, MATLAB),
)
"""All families but ``HTML``, which ``markup_tokenizer`` reads together with others."""

FAMILY_OF = {language: family for family in FAMILIES for language in family.languages}
"""Language → its family."""
