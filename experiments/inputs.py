"""Documents for the sketches: 200,000 items each, some with an adversary."""

from __future__ import annotations

import itertools
import sys
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages import tokenize
from winnow_ci.winnowing import kgram_hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pages import Corpus

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks" / "quality"))

LENGTH = 200_000
SEED = 2008
PROSE, PROSE_K = "anarchism", 50
CODE, CODE_K = "networkx", 16


def documents(corpus: Corpus, window: int) -> dict[str, NDArray[np.uint64]]:
    """K-gram hashes, uint64, shape (LENGTH,), by kind of document; what depends on W is made for ``window``."""
    random = np.random.default_rng(SEED)
    return {
        "random": random.integers(0, 2**64, LENGTH, np.uint64),
        "natural": prose(corpus),
        "source code": code(corpus.work),
        "repetitive": repetitive(random),
        "period √W": periodic(random, window),
    }


def prose(corpus: Corpus) -> NDArray[np.uint64]:
    """The characters of a book, by k-grams of 50."""
    texts = (page.text for page in corpus.of(PROSE))
    text = "".join(itertools.islice(itertools.chain.from_iterable(texts), LENGTH + PROSE_K - 1))
    return kgram_hashes(np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.uint64), PROSE_K)


def code(work: Path) -> NDArray[np.uint64]:
    """The structural tokens of a Python project, by k-grams of 16."""
    from packages import unpacked

    files = sorted(unpacked(CODE, work).rglob("*.py"))
    parts: list[NDArray[np.uint64]] = []
    while sum(map(len, parts)) < LENGTH + CODE_K - 1:
        parts.append(tokenize("python", files.pop(0).read_bytes()).structural)
    return kgram_hashes(np.concatenate(parts), CODE_K)[:LENGTH]


def all_code(work: Path) -> NDArray[np.uint64]:
    """The k-grams of all files of that project, file by file: uint64, shape (n,)."""
    from packages import unpacked

    files = sorted(unpacked(CODE, work).rglob("*.py"))
    return np.concatenate([kgram_hashes(tokenize("python", file.read_bytes()).structural, CODE_K) for file in files])


def repetitive(random: np.random.Generator) -> NDArray[np.uint64]:
    """Stretches of 500 items with a period of 1 to 256."""
    words = random.integers(0, 2**64, LENGTH, np.uint64)
    periods = 2 ** random.integers(0, 9, LENGTH // 500)
    return words[np.concatenate([500 * n + np.arange(500) % period for n, period in enumerate(periods)])]


def periodic(random: np.random.Generator, window: int) -> NDArray[np.uint64]:
    """Stretches of W items with a period of √W: each window has √W distinct items, each √W times."""
    words = random.integers(0, 2**64, LENGTH, np.uint64)
    place = np.arange(LENGTH)
    return words[place - place % window + place % window % isqrt(window)]


def unsampled() -> NDArray[np.uint64]:
    """Against the sketch: every hash is odd, so that no sample at a rate below one holds any.

    An attacker who knows the hash function needs two tries per token on average.
    """
    return np.random.default_rng(SEED).integers(0, 2**63, LENGTH, np.uint64) * np.uint64(2) + np.uint64(1)


def rising() -> NDArray[np.uint64]:
    """Against winnowing: hashes that rise make each window choose another.

    An attacker who knows the hash function can make stretches as long as there are words to choose from.
    """
    return np.sort(np.random.default_rng(SEED).integers(0, 2**64, LENGTH, np.uint64))
