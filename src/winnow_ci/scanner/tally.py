"""What becomes of each file of a change: counted as it is read, and put into batches that are looked up together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.model import Fallback, Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.suppression import Seen
from winnow_ci.scanner.values import DataFile, PreparedFile
from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from winnow_ci.scanner.values import ReadFile

BATCH_TOKENS = 400_000
# Each asks for the keys of its bytes with all line ends.
BATCH_DATA = 1000


class Batch(NamedTuple):
    """What is looked up together: files with their quoted code, and data that may be known."""

    files: list[PreparedFile]
    data: list[DataFile]


@record(slots=True, eq=False, repr=False)
class Tally:
    """Counts the files of a change as they pass.

    Attributes:
        total: number of all files.
        progress: is called after each file with the files done and the number of all files.
        scanned: number of files read.
        tokens: number of their tokens.
        skipped: files that were not read.
        fallback: files that the fallback tokenizer read.
        unread: paths with the number of lines that may be code and were not read.
        seen: what the files say themselves.
    """

    total: int
    progress: Callable[[int, int], None]
    scanned: int = 0
    tokens: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    fallback: list[Fallback] = field(default_factory=list)
    unread: list[tuple[str, int]] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)

    def batches(self, files: Iterable[ReadFile]) -> Iterator[Batch]:
        """Count files, and put those that are looked up into batches."""
        batch, tokens = Batch([], []), 0
        for done, file in enumerate(files, 1):
            if isinstance(file, DataFile):
                batch.data.append(file)
            else:
                of_file = self.counted(file)
                batch.files.extend(of_file)
                tokens += sum(len(part.tokens) for part in of_file)
            self.progress(min(done, self.total), self.total)
            if tokens >= BATCH_TOKENS or len(batch.data) >= BATCH_DATA:
                yield batch
                batch, tokens = Batch([], []), 0
        if batch.files or batch.data:
            yield batch

    def counted(self, file: PreparedFile | Skipped) -> list[PreparedFile]:
        """Count a file; what of it is looked up: itself and its quoted code, if the change adds any of that."""
        if isinstance(file, Skipped):
            self.skipped.append(file)
            return []
        self.scanned += 1
        self.tokens += len(file.tokens)
        self.seen.keep(file)
        if file.failure is not None:
            self.fallback.append(Fallback(file.path, file.failure))
        if file.unread:
            self.unread.append((file.path, file.unread))
        return [part for part in (file, *file.quoted) if part.added.any()]

    def pass_over(self, data: Iterable[DataFile], known: Collection[DataFile]) -> None:
        """Count data that no index knows."""
        paths = {one.file.path for one in known}
        for one in data:
            if one.file.path not in paths:
                self.skipped.append(one.skipped)

    def quoting(self, files: Iterable[ReadFile]) -> Iterator[list[PreparedFile]]:
        """The quoted code of files that are no code themselves, in batches; the files are counted elsewhere."""
        batch: list[PreparedFile] = []
        for file in files:
            if not isinstance(file, PreparedFile):
                continue
            self.seen.keep(file)
            if file.unread:
                self.unread.append((file.path, file.unread))
            batch += [part for part in file.quoted if part.added.any()]
            if sum(len(part.tokens) for part in batch) >= BATCH_TOKENS:
                yield batch
                batch = []
        yield batch
