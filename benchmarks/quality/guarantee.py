"""Whether the promise of docs/matching.md holds: every informative verbatim run of t added tokens is reported.

    python benchmarks/quality/guarantee.py [--trials N] [--work DIR]

Each trial cuts exactly t = k + w − 1 = 27 tokens out of a random known file, at a random token, and puts them between
random tokens into a file of a commit. A run is informative if all of its w k-grams are, by the definition that the scan
uses. Here, and only here, tokens are winnow-ci's own: the promise is about them. A trial fails if no finding touches
the run. Where another known file goes on with the same structure, that longer copy may be named first, as renamed.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from lexing import SYNTAX, Lexeme, lex
from ours import GIT, WINNOW, index_of, run
from projects import CASTS
from rounds import link_known
from snippets import stock

from winnow_ci.evidence import common_grams, common_kgrams, grams, informative
from winnow_ci.languages import language_of, tokenize
from winnow_ci.model import Parameters

if TYPE_CHECKING:
    from winnow_ci.model import Tokens

K = Parameters().k
T = Parameters().guarantee
AROUND = 40
A_COMMIT = 1000
SAMPLE = 150


class Trial(NamedTuple):
    """A planted run.

    Attributes:
        path: of the changed file.
        before: lines before it.
        text: the run.
        after: lines after it.
        source: where it was cut out.
    """

    path: str
    before: str
    text: str
    after: str
    source: str

    @property
    def lines(self) -> tuple[int, int]:
        first = self.before.count("\n") + 1
        return first, first + self.text.count("\n")


class _File(NamedTuple):
    path: str
    lexemes: list[Lexeme]
    tokens: Tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10_000, metavar="N", help="default: 10,000")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep packages and indexes here")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-quality-")))
        share = -(-arguments.trials // len(CASTS))
        with ProcessPoolExecutor(2) as pool:
            outcomes = list(pool.map(partial(of_language, share, work.resolve()), CASTS))
    missed = [trial for _, missing in outcomes for trial in missing]
    for trial in missed:
        print(f"MISSED {trial.source}\n{trial.text}\n")
    print(f"{sum(count for count, _ in outcomes):,} trials, {len(missed)} missed")


def of_language(count: int, work: Path, language: str) -> tuple[int, list[Trial]]:
    """Trials and those of them that were missed."""
    folder = work / "guarantee" / language
    shutil.rmtree(folder, ignore_errors=True)
    cast, rng = CASTS[language], random.Random(f"guarantee {language}")
    link_known(folder / "known", cast.donors + cast.known, work)
    index = index_of(folder / "known", folder)
    files = _sample(stock(cast.donors + cast.known, work).texts, rng)
    missed: list[Trial] = []
    for start in range(0, count, A_COMMIT):
        trials = [_trial(files, number, rng) for number in range(start, min(count, start + A_COMMIT))]
        missed += _missed(trials, index, folder / "repository")
        print(f"{language}: {start + len(trials):,} trials, {len(missed)} missed", file=sys.stderr)
    shutil.rmtree(folder)
    return count, missed


def _sample(texts: dict[str, str], rng: random.Random) -> list[_File]:
    files = []
    for path in rng.sample(sorted(texts), min(SAMPLE, len(texts))):
        tokens = tokenize(language_of(path, texts[path].encode()) or "", texts[path].encode())
        if len(tokens) > 3 * T:
            files.append(_File(path, lex(texts[path], SYNTAX[path[path.rindex(".") :]]), tokens))
    return files


def _trial(files: list[_File], number: int, rng: random.Random) -> Trial:
    while True:
        file = rng.choice(files)
        suffix = file.path[file.path.rindex(".") :]
        suffix = ".c" if suffix == ".h" else suffix
        text = _cut(file, rng)
        if text is None:
            continue
        trial = Trial(f"f{number}{suffix}", _noise(rng) + "\n", text, "\n" + _noise(rng) + "\n", file.path)
        if _stands_whole(trial, file):
            return trial


def _cut(file: _File, rng: random.Random) -> str | None:
    """Text of exactly T tokens from a random place, or None if there is no such text here."""
    start = rng.randrange(len(file.lexemes))
    if not file.lexemes[start].significant:
        return None
    language, text = SYNTAX[file.path[file.path.rindex(".") :]], ""
    for lexeme in file.lexemes[start : start + 4 * T]:
        text += lexeme.text
        # Pygments' tokens are seldom larger than ours, so T of ours need about as many of Pygments'.
        if len(text) < T or not lexeme.significant:
            continue
        count = len(tokenize(language, text.encode()))
        if count >= T:
            return text if count == T else None
    return None


def _stands_whole(trial: Trial, file: _File) -> bool:
    """Whether the run is T informative tokens of the known file, and the same tokens in the changed one."""
    language = SYNTAX[trial.path[trial.path.rindex(".") :]]
    alone = tokenize(language, trial.text.encode())
    there = tokenize(language, (trial.before + trial.text + trial.after).encode())
    says = bool((informative(grams(alone), K) & ~common_kgrams(alone, K, common_grams(alone))).all())
    return says and _within(alone, file.tokens) and _within(alone, there)


def _within(part: Tokens, whole: Tokens) -> bool:
    starts = np.flatnonzero(whole.verbatim[: len(whole) - len(part) + 1] == part.verbatim[0])
    return any(np.array_equal(whole.verbatim[start : start + len(part)], part.verbatim) for start in starts)


def _noise(rng: random.Random) -> str:
    """Lines of random names and signs."""
    signs = ("+", "-", "*", "%", "<", "==", "(", ")", "[", "]", ",", ".", "=", "|", "&")
    words = [rng.choice(signs) if rng.random() < 0.5 else f"zq{rng.randrange(16**5):05x}" for _ in range(AROUND)]
    return "\n".join(" ".join(words[n : n + 8]) for n in range(0, AROUND, 8))


def _missed(trials: list[Trial], index: Path, repository: Path) -> list[Trial]:
    shutil.rmtree(repository, ignore_errors=True)
    run(*GIT, "init", "--quiet", str(repository))
    for whole in (False, True):
        for trial in trials:
            text = trial.before + (trial.text if whole else "") + trial.after
            (repository / trial.path).write_text(text)
        run(*GIT, "add", "--all", cwd=repository)
        run(*GIT, "commit", "--quiet", "--message", "x", cwd=repository)
    scan = (*WINNOW, "scan", "--range", "HEAD~1..HEAD", "--format", "json", "--index", str(index))
    found: dict[str, list[tuple[int, int]]] = {}
    for finding in json.loads(run(*scan, cwd=repository))["findings"]:
        found.setdefault(finding["path"], []).append((finding["start_line"], finding["end_line"]))
    return [trial for trial in trials if not _touched(trial, found.get(trial.path, []))]


def _touched(trial: Trial, found: list[tuple[int, int]]) -> bool:
    first, last = trial.lines
    return any(start <= last and first <= end for start, end in found)


if __name__ == "__main__":
    main()
