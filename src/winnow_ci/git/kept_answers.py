"""What git has said of objects, and processes that wait to be asked for more, while one command runs.

Git takes longer to start than to answer most questions, and an object never changes.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from winnow_ci.git.conversation import Conversation, Subject


MOST_SIZES = 1 << 16
"""Each takes some 150 bytes of memory."""


class KeptAnswers:
    """The sizes of blobs, in bytes, and idle conversations."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}
        self._idle: dict[Subject, list[Conversation]] = {"contents": [], "descriptions": []}
        self._has_ended = False

    def sizes_of(self, ids: AbstractSet[str]) -> dict[str, int]:
        """The sizes of blobs that are known."""
        return {name: self._sizes[name] for name in ids & self._sizes.keys()}

    def keep_sizes(self, sizes: Mapping[str, int]) -> None:
        """Keep sizes; those before are forgotten if there are too many."""
        if len(self._sizes) + len(sizes) > MOST_SIZES:
            self._sizes.clear()
        if len(sizes) <= MOST_SIZES:
            self._sizes.update(sizes)

    def expect(self, begin: Callable[[Subject], Conversation]) -> None:
        """Begin conversations that will be asked for: git starts meanwhile."""
        for subject, idle in self._idle.items():
            idle.append(begin(subject))

    @contextmanager
    def conversation(self, subject: Subject, begin: Callable[[Subject], Conversation]) -> Iterator[Conversation]:
        """One that nobody else has; afterwards it waits for the next question, if it owes no answer."""
        idle = self._idle[subject]
        taken = idle.pop() if idle else begin(subject)
        try:
            yield taken
        finally:
            if taken.is_idle and not self._has_ended:
                idle.append(taken)
            else:
                taken.end()

    def end(self) -> None:
        """End what waits; nothing is kept from now on."""
        self._has_ended = True
        for idle in self._idle.values():
            while idle:
                idle.pop().end()
