"""The kernel makes the fingerprints and maps that Python makes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from support.kernels import need_kernel, without_kernel
from winnow_ci.evidence.tables import is_common_phrase
from winnow_ci.fingerprint import all_kgrams, index_fingerprints
from winnow_ci.index import pack_map
from winnow_ci.index.coding import unpack_map
from winnow_ci.languages import tokenize
from winnow_ci.languages.phrase_extraction import phrases_in
from winnow_ci.model import Fingerprints, Parameters, Phrases, Selection, TokenMap, Tokens

if TYPE_CHECKING:
    from numpy.random import Generator

CASES = 600
COMMON = phrases_in(b"# licensed under the apache license version 2 0 the license")[0].hash


def some_tokens(chance: Generator) -> Tokens:
    """Tokens with few or many different ids, in a row, periodic, or by chance."""
    count = int(chance.choice([0, 3, 15, 16, 17, 24, 25, 40, 130, 700]))
    alphabet = chance.integers(0, 1 << 64, int(chance.choice([1, 2, 3, 500])), dtype=np.uint64)
    period = int(chance.choice([0, 1, 2, 7, 30]))
    order = np.arange(count) % period if period else chance.integers(0, 1 << 30, count)
    ids = alphabet[order % len(alphabet)]
    if count and chance.random() < 0.5:
        ids[chance.integers(0, count)] = alphabet[0]
    first = np.cumsum(chance.choice([0, 0, 0, 1, 7], count)).astype(np.int32)
    last = first + chance.choice([0, 0, 0, 0, 3], count).astype(np.int32)
    phrases = some_phrases(chance, count) if chance.random() < 0.8 else None
    return Tokens(ids, ids[::-1].copy(), first, last, chance.integers(0, 256, count).astype(np.uint8), phrases)


def some_phrases(chance: Generator, tokens: int) -> Phrases:
    """Phrases that recur, stand at one token, before all or behind them, or are common property."""
    count = int(chance.choice([0, 1, 4, 40]))
    hashes = np.append(chance.integers(0, 1 << 64, 6, dtype=np.uint64), np.uint64(COMMON))[chance.integers(0, 7, count)]
    nothing = np.zeros(count, np.uint8)
    positions = chance.integers(0, max(2, int(chance.choice([4, tokens + 2]))), count).astype(np.int32)
    return Phrases(hashes, nothing, nothing.astype(np.bool_), positions, positions)


def parts(kept: Fingerprints) -> list[tuple[Any, ...]]:
    return [(array.dtype, array.tolist()) for array in (kept.hashes, kept.checks, kept.positions)]


def test_it_makes_the_fingerprints_that_python_makes() -> None:
    need_kernel()
    assert is_common_phrase(np.array([COMMON], np.uint64)).all()
    chance, sizes = np.random.default_rng(1), []
    for _ in range(CASES):
        tokens, dense = some_tokens(chance), bool(chance.random() < 0.2)
        selection = chance.choice(get_args(Selection))
        k, w = int(chance.choice([4, 5, 16, 23, 200])), int(chance.choice([1, 2, 9, 50, 120, 500]))
        parameters = Parameters(k, w, str(selection))  # type: ignore[arg-type]
        native = index_fingerprints(tokens, parameters, dense=dense), all_kgrams(tokens, parameters)
        with without_kernel():
            reference = index_fingerprints(tokens, parameters, dense=dense), all_kgrams(tokens, parameters)
        assert [*map(parts, native)] == [*map(parts, reference)], (parameters, dense, len(tokens))
        sizes.append(len(native[0]))
    assert sizes.count(0) > 20
    assert max(sizes) > 600


def test_it_makes_the_maps_that_python_makes() -> None:
    need_kernel()
    chance = np.random.default_rng(2)
    real = tokenize("python", b"def f(a):\n    '''two\n    lines'''\n\n    return a\n")
    for tokens in (real, *(some_tokens(chance) for _ in range(100))):
        spans = TokenMap(tokens.first_lines, tokens.last_lines, tokens.sketch)
        native = pack_map(spans)
        with without_kernel():
            reference = pack_map(spans)
            assert columns(native) == columns(spans)
        assert native == reference
        assert columns(native) == columns(spans)


def test_it_refuses_the_maps_that_python_refuses() -> None:
    need_kernel()
    chance = np.random.default_rng(3)
    lines = np.arange(9, dtype=np.int32)
    data = pack_map(TokenMap(lines, lines + 1, lines.astype(np.uint8)))
    verdicts = Counter[bool]()
    for _ in range(2000):
        damaged = bytearray(data)
        for place in chance.integers(0, len(data), chance.integers(1, 4)):
            damaged[place] = chance.integers(0, 4)
        packed = bytes(damaged[: chance.integers(1, 4 * len(data))])
        native = columns_or_refusal(packed)
        with without_kernel():
            assert native == columns_or_refusal(packed)
        verdicts[native is None] += 1
    assert min(verdicts.values()) > 50


def columns(tokens: TokenMap | bytes) -> list[list[int]]:
    unpacked = unpack_map(tokens) if isinstance(tokens, bytes) else tokens
    return [column.tolist() for column in unpacked]


def columns_or_refusal(packed: bytes) -> list[list[int]] | None:
    try:
        return columns(packed)
    except (ValueError, IndexError):
        return None
