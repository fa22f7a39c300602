"""Do the kernel and Python make the same of texts and patterns of chance?

    python benchmarks/kernel_differences.py [--kind texts|small|matching|evidence] [--cases N] [--seed S]
        [--processes N] [--family LANGUAGE] [FOLDER ...]

Each case is a text in the languages of one family: marks in any order, files of the folders (by default those that
this machine has: Python's own library and packages, /usr/include, node's packages, crates) whole, cut, mutated and
crossed, noise, and pumps. Python cuts it, numbers its pieces and makes tokens and phrases, and reads it with care if
the family has a way to; the kernel does the same, and all of it must be equal. Every tenth round has patterns, and
texts for them, that the kernel's matcher and ``re`` must agree on. ``--kind small`` makes texts of at most 64 bytes,
of the family's own marks, of which millions are soon read; ``--kind matching`` makes changes and known contents, in
which both must find the same regions, also where hardly more bits make others, and say the same of a whole file;
``--kind evidence`` documents to weigh and to find statements in, contents to rank and postings to choose from.

Works until N cases are done or ^C; then prints the cases of each family, the differences, and the slowest text of at
least 2,000 bytes in bytes a second of the kernel, the best of three. Each difference is printed when it is found, with
the seed and the number of its round. Exits with 1 if there is one. Nothing is kept.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
import signal
import sys
import sysconfig
import time
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.evidence_cases import (
    block_case,
    chosen_both_ways,
    packed_both_ways,
    postings_case,
    ranked_both_ways,
    weighed_both_ways,
    weighing_case,
)
from support.kernels import without_kernel
from support.matching_cases import at_an_edge, matching_case, outline, whole_file_case
from support.random_patterns import pattern
from support.random_patterns import text as text_for_pattern
from support.statement_cases import statement_case, told_both_ways
from support.tokenizing_cases import ALL_FAMILIES, difference, small_texts, texts
from winnow_ci.languages import Untokenizable, language_of, may_have_language, normalise
from winnow_ci.languages.families import FAMILY_OF
from winnow_ci.languages.families.declarative import HTML
from winnow_ci.languages.table_tokenizer import kernel_reader
from winnow_ci.matching.regions import find_regions, whole_file
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.languages.families import LanguageFamily

FILES: dict[str, list[bytes]] = {}
MOST_SOURCES = 1_000_000
LARGEST_SOURCE = 200_000
PATTERN_EVERY = 10
LONG = 2_000
ROUNDS = {"texts": 100, "small": 1000, "matching": 100, "evidence": 100}
"""Cases of each kind that are done at a time."""


@dataclass
class Counts:
    """What some cases came to."""

    cases: Counter[str] = field(default_factory=Counter)
    differences: int = 0
    slowest: tuple[float, str] = (float("inf"), "")

    def add(self, other: Counts) -> None:
        self.cases += other.cases
        self.differences += other.differences
        self.slowest = min(self.slowest, other.slowest)


class Slice(NamedTuple):
    """Some cases: of a kind, and of one family or all."""

    kind: str
    seed: str
    number: int
    family: str | None

    @property
    def name(self) -> str:
        return f"--seed {self.seed}, round {self.number}"


def main() -> int:
    asked = arguments()
    # What a shell starts in the background ignores ^C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if kernel() is None:
        sys.exit("no kernel: make kernel")
    if asked.kind == "texts":
        FILES.update(sources(asked.folders))
    slices = (
        Slice(asked.kind, asked.seed, number, asked.family) for number in range(-(-asked.cases // ROUNDS[asked.kind]))
    )
    total, began = Counts(), time.monotonic()
    context = multiprocessing.get_context("fork")
    with context.Pool(asked.processes, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        try:
            for counts in pool.imap_unordered(some_cases, slices):
                total.add(counts)
        except KeyboardInterrupt:
            pool.terminate()
    tell(total, time.monotonic() - began)
    return int(total.differences > 0)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=ROUNDS, default="texts")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--family", help="only this one, by the first of its languages")
    paths = sysconfig.get_paths()
    usual = [paths["stdlib"], "/usr/include", "/usr/lib/node_modules", str(Path.home() / ".cargo/registry/src")]
    parser.add_argument("folders", nargs="*", type=Path, default=[Path(name) for name in usual])
    return parser.parse_args()


def sources(folders: list[Path]) -> dict[str, list[bytes]]:
    """First language of a family → some normalised files in its languages."""
    found: dict[str, list[bytes]] = defaultdict(list)
    sizes: Counter[str] = Counter()
    repository = Path(__file__).parents[1]
    for path in sorted({path for folder in [repository, *folders] for path in folder.rglob("*.*")}):
        if not may_have_language(path.as_posix()) or not path.is_file() or path.stat().st_size > LARGEST_SOURCE:
            continue
        content = path.read_bytes()
        language = language_of(path.as_posix(), content)
        family = HTML if language in HTML.languages else FAMILY_OF.get(language or "")
        if family and sizes[family.languages[0]] < MOST_SOURCES:
            try:
                text = normalise(content)
            except Untokenizable:
                continue
            found[family.languages[0]].append(text)
            sizes[family.languages[0]] += len(text)
    return found


def some_cases(given: Slice) -> Counts:
    """Cases of matching, of patterns, or of one family."""
    chooser = random.Random(f"{given.seed} {given.number}")
    count = ROUNDS[given.kind]
    if given.kind == "matching":
        return matchings(chooser, count, given.name)
    if given.kind == "evidence":
        return evidence(chooser, count, given.name)
    if given.family is None and given.number % PATTERN_EVERY == 0:
        return patterns(chooser, count, given.name)
    families = [family for family in ALL_FAMILIES if given.family in (None, family.languages[0])]
    family = families[given.number % len(families)]
    own = FILES.get(family.languages[0], [])
    made = texts(family, chooser, own) if given.kind == "texts" else small_texts(family, chooser)
    return texts_of(family, islice(made, count), given.name)


def texts_of(family: LanguageFamily, made: Iterable[bytes], name: str) -> Counts:
    language, counts = family.languages[0], Counts()
    for text in made:
        counts.cases[language] += 1
        if found := difference(text, family):
            counts.differences += 1
            print(f"{name}: {language}: {found}: {text!r}", flush=True)
        if len(text) >= LONG:
            speed = len(text) / min(seconds(text, family) for _ in range(3))
            counts.slowest = min(counts.slowest, (speed, f"{name}: {language}: {text[:60]!r}"))
    return counts


def matchings(chooser: random.Random, count: int, name: str) -> Counts:
    counts = Counts()
    for _ in range(count):
        seed = chooser.randrange(1 << 62)
        case, whole = matching_case(seed), whole_file_case(seed)
        edges = at_an_edge(case, seed, outline)
        cases = (case, *edges)
        native = [find_regions(*each) for each in cases], whole_file(*whole)
        with without_kernel():
            regions = [find_regions(*each) for each in cases], whole_file(*whole)
        counts.cases["matching"] += 1
        counts.cases["at edges"] += len(edges)
        if repr(native) != repr(regions):
            counts.differences += 1
            print(f"{name}: matching case {seed}", flush=True)
    return counts


def evidence(chooser: random.Random, count: int, name: str) -> Counts:
    counts = Counts()
    for _ in range(count):
        seed = chooser.randrange(1 << 62)
        found = {
            "weighing": weighed_both_ways(weighing_case(seed)),
            "ranking": ranked_both_ways(seed),
            "choosing": chosen_both_ways(postings_case(seed)),
            "packing": packed_both_ways(*block_case(seed)),
            "statements": told_both_ways(statement_case(seed)),
        }
        counts.cases.update(found.keys())
        for what, differs in found.items():
            if differs:
                counts.differences += 1
                print(f"{name}: {what}, case {seed}: {differs}", flush=True)
    return counts


def seconds(text: bytes, family: LanguageFamily) -> float:
    began = time.process_time()
    kernel_reader(text, family).tokens(text, len(text))
    return time.process_time() - began


def patterns(chooser: random.Random, count: int, name: str) -> Counts:
    counts = Counts()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(count):
            one, where = pattern(chooser), text_for_pattern(chooser)
            counts.cases["patterns"] += 1
            try:
                native = kernel().Expression([one])
            except ValueError:
                continue
            compiled, places = re.compile(one), range(len(where) + 1)
            matches = [match and (0, match.end()) for match in (compiled.match(where, at) for at in places)]
            searches = [search and search.span() for search in (compiled.search(where, at) for at in places)]
            # What is known of one place must hold at the others, too.
            found = [native.matches(where, at) for at in places], [native.search(where, at) for at in places]
            if found != (matches, searches):
                counts.differences += 1
                print(f"{name}: {one!r} in {where!r}: {found}", flush=True)
    return counts


def tell(total: Counts, seconds: float) -> None:
    for name, count in sorted(total.cases.items()):
        print(f"{name:14}{count:12,}")
    slowest, text = total.slowest
    print(f"{'all':14}{sum(total.cases.values()):12,} cases in {seconds:,.0f} s, {total.differences} differences")
    if text:
        print(f"slowest: {slowest:,.0f} bytes a second, {text}")


if __name__ == "__main__":
    sys.exit(main())
