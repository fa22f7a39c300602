"""Known code and copies of it, so edited that what they say is all that leads from one to the other."""

from __future__ import annotations

from typing import NamedTuple

from support.cases import code


class Edited(NamedTuple):
    """A copy that was edited.

    Attributes:
        ending: of the files' names.
        known: the file that it was copied from.
        before: what the change found.
        after: what it left.
        lines: on which the copy is, and those of what was copied.
        silenced: what both sides say, and what the copy might say instead.
    """

    ending: str
    known: str
    before: str
    after: str
    lines: tuple[int, int, int, int]
    silenced: dict[str, str]

    @property
    def silent(self) -> str:
        """The copy without what both sides say."""
        text = self.after
        for words, other in self.silenced.items():
            assert words in text
            text = text.replace(words, other)
        return text


def _edited(ending: str, names: str, lines: tuple[int, int, int, int], silenced: dict[str, str]) -> Edited:
    known, before, after = (code(f"phrases/{name}.{ending}") for name in names.split())
    return Edited(ending, known, before, after, lines, silenced)


COMMENT = "\t/* The head may lag behind the tail by one lap at most, so look twice before giving up. */\n"
BY_COMMENT = _edited("c", "ring pool grab", (9, 16, 16, 23), {COMMENT: ""})
LONGER = _edited("c", "longer_ring pool longer_grab", (9, 16, 16, 23), {COMMENT: ""})
"""The same with more of what was copied."""

GRAB = BY_COMMENT.after.partition(COMMENT)[2].partition("\treturn -1")[0]
AROUND_COMMENT = """\
long grab(struct pool *p, long n)
{
  long i, spins;
  for (i = p->head, spins = 0; spins < 2 * p->size; ++spins) {
"""
"""Of the copy, what stands above and below its comment."""

SHORT = _edited("c", "put pool push", (8, 12, 3, 7), {"The reader": "Readers", "So the index moves last": "Publish it"})
"""Two lines, under what was copied with them."""

_MESSAGE = "lease ran out %.1f s before it was renewed by its holder"
BY_MESSAGE = _edited("py", "leases tickets prolong", (6, 13, 6, 13), {_MESSAGE: "gone: %s"})

_SHORTER = {
    "getRuntimeChunkName": "nameOf",
    "getChunkModulesIterable": "modulesOf",
    "emitAssetAfterProcessing": "emit",
    "createStatsFactoryOutput": "stats",
}
BY_NAMES = Edited(
    "js", code("phrases/manifest.js"), "let a = 1;\n", code("phrases/logged.js"), (2, 15, 3, 11), _SHORTER
)

SAME_LIBRARY = code("phrases/same_library.js")
"""Code that uses the library of ``BY_NAMES``, and has nothing else of it."""

SAME_SHAPE = code("phrases/same_shape.js")
"""Code that uses the same library in the same order, and has names of its own."""

UNRELATED = code("phrases/unrelated.c")
"""Code that has nothing of ``BY_COMMENT`` but its comment."""

HEADER = """\
/*
 * Copyright 2019 the makers of the ring buffer
 * This program is given to whoever wants to use it
 */
"""
