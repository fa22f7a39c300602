"""The languages of the table-driven tokenizer: one table entry a family.

Languages that share files or copy from each other are one family, so that a header matches whether it is called ``.h``
or ``.hpp``, and a function with or without types. A family's keywords (``keywords.txt``) are those of all its
languages, except words that ordinary code of one of them uses as names.

``docs/adding-a-language.md`` says how to add one. Raise ``revision`` whenever an entry changes: an index made with
another revision is refused.
"""

from __future__ import annotations

from winnow_ci.languages.families.braces import (
    CSHARP,
    DART,
    GO,
    GROOVY,
    JAVA,
    JAVASCRIPT,
    KOTLIN,
    RUST,
    SOLIDITY,
    SWIFT,
    ZIG,
    C,
)
from winnow_ci.languages.families.declarative import CSS, GAS, HTML, NASM, PROTOBUF, SQL, TERRAFORM, VERILOG, VHDL
from winnow_ci.languages.families.functional import (
    ERLANG,
    FIXED_FORTRAN,
    FORTRAN,
    HASKELL,
    JULIA,
    MATLAB,
    OCAML,
    SCALA,
    R,
)
from winnow_ci.languages.families.scripts import ELIXIR, LUA, PERL, PHP, POWERSHELL, PYTHON, RUBY, SHELL
from winnow_ci.languages.families.syntax import LanguageFamily, LexemeRule, SpanRule

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
