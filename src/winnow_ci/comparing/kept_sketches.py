"""Sketches of files, kept in a file of their own: two sides can compare documents that neither has of the other.

The file is one JSON object in UTF-8:

    winnow-ci sketches   1, the version of this format; it stands first, and tells such a file from code
    made                 k, scheme, window, size and delta (``model.comparison.DocumentSketch``), and the revision of
                         each front end: sketches that were made otherwise cannot be compared
    documents            of each: path, level and frequency of the sketch, and its entries: the hashes of k-grams,
                         rising, 16 hexadecimal digits each, one behind the other

From hashes nobody can read code, but who guesses a k-gram can see whether it is there. A file of this kind may come
from anybody: what is not as it should be is refused.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.errors import CorpusError, UsageError
from winnow_ci.languages import revisions
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from winnow_ci.model import U64
    from winnow_ci.model.comparison import ComparisonOptions

MAGIC = b'{"winnow-ci sketches": 1,'
SCHEME = "bounded"
LARGEST = 1 << 28
"""Bytes of such a file."""
_DIGITS = 16
_REMEDY = "make it again: winnow-ci compare DIR --sketch bounded --window W --keep FILE"


class KeptDocument(NamedTuple):
    """The sketch of a file.

    Attributes:
        path: of the file.
        level: of its sample, of which the rate is 2^−level.
        frequency: of its sketch (``winnowing.bounded.Sketch``).
        entries: uint64, rising, each once; hashes of k-grams.
    """

    path: str
    level: int
    frequency: int
    entries: U64


@record(frozen=True, slots=True, eq=False)
class KeptSketches:
    """A file of sketches: how they were made, and the documents by path."""

    made: dict[str, Any]
    documents: dict[str, KeptDocument]

    def check(self, name: str, options: ComparisonOptions) -> None:
        """Refuse to compare them with what is made otherwise.

        Raises:
            UsageError: they were made otherwise.
        """
        if self.made == (asked := made_by(options)):
            return
        if self.made["front_ends"] != asked["front_ends"]:
            raise UsageError(f"{name} was made with another revision of the front ends", _REMEDY)
        made = {**self.made, "size": self.made["size"] or "none"}
        given = "-k {k} --sketch bounded --window {window} --size {size} --delta {delta}".format(**made)
        raise UsageError(f"{name} was made with other options", f"give {given}".replace(" --size none", ""))


def made_by(options: ComparisonOptions) -> dict[str, Any]:
    """How sketches are made with these options."""
    reduced = options.reduced._asdict() if options.reduced else dict.fromkeys(("window", "size", "delta"))
    # Older versions wrote sketches of other schemes, too.
    return {"k": options.parameters.k, "scheme": SCHEME, **reduced, "front_ends": revisions()}


def written(documents: Iterable[KeptDocument], options: ComparisonOptions) -> str:
    """The text of a file with sketches."""
    rows = [{**each._asdict(), "entries": each.entries.astype(">u8").tobytes().hex()} for each in documents]
    return json.dumps({"winnow-ci sketches": 1, "made": made_by(options), "documents": rows}) + "\n"


def kept_in(path: Path) -> KeptSketches | None:
    """The sketches in a file; None if it is none of sketches.

    Raises:
        CorpusError: it is damaged or cannot be read.
    """
    try:
        with open_regular(path) as file:
            content = file.read(len(MAGIC))
            if content != MAGIC:
                return None
            content += file.read(LARGEST)
        return _parsed(json.loads(content))
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}", "see that it can be read") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CorpusError(f"{path}: no file of sketches, or a damaged one", _REMEDY) from error


def _parsed(content: Any) -> KeptSketches:
    documents = [_document(row) for row in content["documents"]]
    by_path = {each.path: each for each in documents}
    made = content["made"]
    if len(by_path) < len(documents) or not documents or not isinstance(made, dict):
        raise ValueError
    return KeptSketches(
        {name: made[name] for name in ("k", "scheme", "window", "size", "delta", "front_ends")}, by_path
    )


def _document(row: Any) -> KeptDocument:
    path, level, frequency, entries = row["path"], row["level"], row["frequency"], row["entries"]
    hashes = np.frombuffer(bytes.fromhex(entries), ">u8").astype(np.uint64)
    is_number = all(type(number) is int for number in (level, frequency))
    if not (isinstance(path, str) and is_number and 0 <= level <= 65 and 2 <= frequency < 1 << 63):
        raise ValueError
    if len(entries) != _DIGITS * len(hashes) or np.any(hashes[1:] <= hashes[:-1]):
        raise ValueError
    return KeptDocument(path, level, frequency, hashes)
