"""What of a changed file is evidence: nothing that boilerplate covers, and phrases only where something is new."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from support.file_hits import file_hits, tokens_on
from support.number_tables import random_numbers
from winnow_ci.languages import DATA, front_end_of, tokenize
from winnow_ci.model import Hits, LineRange, Parameters, Phrases
from winnow_ci.scanner.files import PreparedFile
from winnow_ci.scanner.kgrams import file_hits as file_hits_of
from winnow_ci.scanner.kgrams import file_kgrams, phrases_beside_added, without_boilerplate

if TYPE_CHECKING:
    from winnow_ci.matching import FileHits

COUNT, K = 60, 16

# Which of the 45 k-grams are boilerplate: single ones, and such as lie over each other.
boilerplate = st.lists(st.tuples(st.integers(0, 44), st.integers(1, 12)), max_size=3)


@given(runs=boilerplate, added=st.sets(st.integers(0, COUNT - 1)))
def test_tokens_of_boilerplate_do_not_count_as_added(runs: list[tuple[int, int]], added: set[int]) -> None:
    numbers = {start + n for start, length in runs for n in range(length) if start + n < 45}
    kgrams = file_hits(tokens_on([1] * COUNT), added=np.isin(np.arange(COUNT), [*added]), k=K).kgrams
    left = without_boilerplate(kgrams, np.isin(np.arange(45), [*numbers]), K)
    covered = {token for start in numbers for token in range(start, start + K)}
    assert set(np.flatnonzero(left.added).tolist()) == added - covered
    assert set(np.flatnonzero(~left.informative).tolist()) == numbers
    assert set(np.flatnonzero(~left.informative_text).tolist()) == numbers


def test_what_said_nothing_before_says_nothing_without_boilerplate() -> None:
    kgrams = file_hits(tokens_on([1] * COUNT), informative=False, k=K).kgrams
    none = np.zeros(45, np.bool_)
    left = without_boilerplate(kgrams._replace(informative_text=none), none, K)
    assert not left.informative.any()
    assert not left.informative_text.any()


def test_a_phrase_stands_in_an_added_token_or_right_before_or_after_one() -> None:
    kgrams = file_hits(tokens_on([1] * COUNT), added=np.isin(np.arange(COUNT), [20, 21])).kgrams
    at = np.array([19, 20, 21, 22, 23], np.int32)
    phrases = Phrases(at.astype(np.uint64), at.astype(np.uint8), at > 99, at, at)
    assert phrases_beside_added(kgrams._replace(phrases=phrases)).tolist() == [False, True, True, True, False]


def literals(code: str) -> list[float]:
    """What a file's numbers say if another document has the same ones."""
    content = code.encode()
    tokens = tokenize("c", content)
    added = np.ones(len(tokens), np.bool_)
    file = PreparedFile("a.c", content, front_end_of("c"), tokens, (), added, language="c")
    kgrams = file_kgrams(file, Parameters(), np.empty(0, np.uint64))
    none = Hits(np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.uint32))
    bits = file_hits_of(file, kgrams, none, none, (), K).literal_bits
    return [float(bits[at]) for at in np.flatnonzero(tokens.sketch >= 208) if tokens.sketch[at] < 230]


def test_numbers_in_tables_say_something_only_if_they_are_rare() -> None:
    rare, short = "".join(f"{number:#x}, " for number in random_numbers(5, 20)), "1789, " * 20
    in_tables = literals(f"int a[] = {{ {rare} {short} }};")
    assert set(in_tables[4:20]) == {np.log2(22)}
    assert set(in_tables[24:40]) == {0.0}
    among_code = literals(f"{'f(x); ' * 20} while (a->b[1789] != *c) {{ d = e ? (f | ~g) : -h % 3; i <<= 4; }}")
    assert among_code[0] == np.log2(22)


def test_in_a_file_with_few_numbers_none_is_rare() -> None:
    for count in (15, 16):
        content = ", ".join(f"0x9e3779b{number:x}" for number in range(count)).encode()
        tokens = tokenize("c", content)
        file = PreparedFile("a.c", content, front_end_of("c"), tokens, (), np.ones(len(tokens), np.bool_), language="c")
        kgrams = file_kgrams(file, Parameters(), np.empty(0, np.uint64))
        assert kgrams.rare_numbers.any() == (count == 16)


def test_data_is_no_evidence_by_its_kgrams() -> None:
    content = b"".join(b'{"a": %d, "b%d": [c%d]}' % (n, n, n) for n in range(100))
    tokens = tokenize(DATA, content)
    file = PreparedFile(
        "a.json", content, front_end_of(DATA), tokens, (), np.ones(len(tokens), np.bool_), language=DATA
    )
    kgrams = file_kgrams(file, Parameters(), np.empty(0, np.uint64))
    assert len(kgrams.kgrams) > 1000
    assert not kgrams.asked.any()


def go_hits(code: str) -> FileHits:
    content = code.encode()
    tokens, lines = tokenize("go", content), (LineRange(1, code.count("\n")),)
    added = np.ones(len(tokens), np.bool_)
    file = PreparedFile("a.go", content, front_end_of("go"), tokens, lines, added, language="go")
    kgrams = file_kgrams(file, Parameters(), np.empty(0, np.uint64))
    none = Hits(np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.uint32))
    return file_hits_of(file, kgrams, none, none, (), K)


def test_what_a_file_imports_is_no_evidence_but_a_comment_there_is() -> None:
    names = 'quenchv1 "quench.example/zwirbel/ferrous"\n\tglimmer "glimmer.example/plinth/meta"\n'
    said = go_hits(f'package a\n\nimport (\n\t{names}\t// We borrow this plinth until noon.\n\tlast "last"\n)\n')
    assert said.kgrams.phrases.lines.tolist() == [6]
    other = go_hits(f'package a\n\nexported (\n\t{names}\t// We borrow this plinth until noon.\n\tlast "last"\n)\n')
    assert other.kgrams.phrases.lines.tolist() == [4, 5, 6]
    for bits, otherwise in (
        (said.token_bits, other.token_bits),
        (said.literal_bits, other.literal_bits),
        (said.new_literal_bits, other.new_literal_bits),
    ):
        assert not bits[2:].any()
        assert otherwise[2:].any()
