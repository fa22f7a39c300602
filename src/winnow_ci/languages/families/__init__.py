"""The languages of the fast scanner: one table entry a family.

Languages that share files or copy from each other are one family, so that a header matches whether it is called ``.h``
or ``.hpp``, and a function whether it has been given types. A family's keywords are those of all its languages, without
words that ordinary code of one of them uses as names.

To add a language, add a ``Family`` to ``FAMILIES`` (and its file extensions to ``detect``, if Pygments does not know
them). Raise ``revision`` with every later change of the entry: an index made with another revision is refused.
"""

from __future__ import annotations

from winnow_ci.languages.families.braces import GO, JAVA, JAVASCRIPT, C
from winnow_ci.languages.families.jvm import GROOVY, KOTLIN, SCALA
from winnow_ci.languages.families.native import CSHARP, DART, RUST, SWIFT
from winnow_ci.languages.families.numeric import JULIA, R
from winnow_ci.languages.families.scripts import ELIXIR, LUA, PERL, PYTHON, RUBY
from winnow_ci.languages.families.shape import Family, Span
from winnow_ci.languages.families.web import PHP

__all__ = ["FAMILIES", "C", "Family", "Span"]

FAMILIES: tuple[Family, ...] = (
    *(C, PYTHON, JAVASCRIPT, JAVA, GO),
    *(CSHARP, DART, GROOVY, KOTLIN, PHP, RUST, SCALA, SWIFT),
    *(ELIXIR, JULIA, LUA, PERL, R, RUBY),
)
