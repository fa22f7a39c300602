"""The languages of the table-driven tokenizer: one table entry a family.

Languages that share files or copy from each other are one family, so that a header matches whether it is called ``.h``
or ``.hpp``, and a function with or without types. A family's keywords (``keywords.txt``) are those of all its
languages, except words that ordinary code of one of them uses as names.

``docs/adding-a-language.md`` says how to add one. Raise ``revision`` whenever an entry changes: an index made with
another revision is refused.
"""

from __future__ import annotations

from winnow_ci.languages.families import braces, declarative, functional, scripts
from winnow_ci.languages.families.syntax import LanguageFamily, LexemeRule, SpanRule

__all__ = ["FAMILIES", "FAMILY_OF", "LanguageFamily", "LexemeRule", "SpanRule"]

FAMILIES: tuple[LanguageFamily, ...] = (
    *(braces.C, scripts.PYTHON, braces.JAVASCRIPT, braces.JAVA, braces.GO, braces.CSHARP, braces.DART, braces.GROOVY),
    *(braces.KOTLIN, scripts.PHP, braces.RUST, functional.SCALA, braces.SOLIDITY, braces.SWIFT, braces.ZIG),
    *(scripts.ELIXIR, functional.JULIA, scripts.LUA, scripts.PERL, functional.R, scripts.RUBY),
    *(functional.ERLANG, functional.HASKELL, functional.OCAML, scripts.POWERSHELL, scripts.SHELL),
    *(declarative.CSS, declarative.PROTOBUF, declarative.SQL, declarative.TERRAFORM),
    *(declarative.GAS, declarative.NASM, declarative.VERILOG, declarative.VHDL),
    *(functional.FIXED_FORTRAN, functional.FORTRAN, functional.MATLAB),
)
"""All families but ``HTML``, which ``markup_tokenizer`` reads together with others."""

FAMILY_OF = {language: family for family in FAMILIES for language in family.languages}  # language → its family
