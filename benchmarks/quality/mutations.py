"""All mutations: what a person does to copied code so that it fits, or looks like their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from edits import can_be_reordered, edited, reordered
from layout import reformatted
from naming import has_literals, literals, renamed
from remarks import recommented

if TYPE_CHECKING:
    import random

    from snippets import Snippet

Change = Callable[["Snippet", "random.Random", Sequence[str]], list[str]]


class Mutation(NamedTuple):
    """A way to change copied code.

    Attributes:
        apply: (stretch, random numbers, code lines of the host file) → new lines; depends on nothing else.
        fits: whether a stretch can be changed so at all; others are drawn again.
    """

    apply: Change
    fits: Callable[[Snippet], bool] = lambda _: True


def verbatim(snippet: Snippet, _: random.Random, __: Sequence[str]) -> list[str]:
    return list(snippet.lines)


def renamed_and_edited(snippet: Snippet, rng: random.Random, host: Sequence[str]) -> list[str]:
    return edited(snippet._replace(lines=tuple(renamed(snippet, rng, host))), rng, host)


MUTATIONS = {
    "verbatim": Mutation(verbatim),
    "reformatted": Mutation(reformatted),
    "recommented": Mutation(recommented),
    "renamed": Mutation(renamed),
    "literals": Mutation(literals, has_literals),
    "edited": Mutation(edited),
    "renamed+edited": Mutation(renamed_and_edited),
    "reordered": Mutation(reordered, can_be_reordered),
}
