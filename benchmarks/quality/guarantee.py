"""Whether the promise of docs/matching.md holds: every informative verbatim run of t added tokens is shown.

    python benchmarks/quality/guarantee.py [--trials N] [--work DIR]

Each trial is a run of exactly t = k + w − 1 tokens of a known file. The changed files have a dozen and more of them,
side by side, nested, out of order and in weak chains (arrangements.py). A run is informative if all of its w k-grams
are, by the definition that the scan uses. Here, and only here, tokens are winnow-ci's own: the promise is about them.

The promise is that the lines shown are the run's, give or take the line that it begins or ends in: a few tokens on a
line that is mostly other code are cut off on purpose, and a single one may be the end of another run. So *ends cut*
counts the trials of which only such lines are in no finding's lines. A trial is *missed* if any other line with a token
of it is in none. It is *unnamed* if one of these lines, but for such ends, is in no finding that names, first or among
the others, a file with the very tokens of the run. *Beyond* is the share of the lines in findings that belong neither
to a run nor to the renamed code around one.

``--selection`` makes the indexes with another selection than the default, and ``--seed`` gives other trials.

There are two parts: the default, in an index of four or five projects a language, and random k and w, in one to three
indexes of files of these projects, as `index build -k -w` makes them. Exits with 1 if a trial is missed.
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
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arrangements import ARRANGEMENTS, ChangedFile, KnownFile, Run, changed_file, has_run
from detectors import some_of
from lexing import SYNTAX, lex
from ours import GIT, WINNOW, index_of, run
from projects import CASTS
from rounds import link_known
from snippets import texts
from tables import table

from winnow_ci.languages import language_of, tokenize
from winnow_ci.model import GUARANTEED, Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

LANGUAGES = ("c", "python", "java")
PARTS = ("default", "random")
K, W = range(8, 31), range(4, 31)
MOST_INDEXES = 3
# The default of `report: {min_tokens: }`.
MIN_TOKENS = 16
# Trials in one commit. Each commit of the second part has parameters of its own.
A_COMMIT = {"default": 1000, "random": 280}
SAMPLE = 150
# A run must be much shorter than its file, or there is no choice of places.
LEAST_TOKENS = 200


class Verdict(NamedTuple):
    """What became of a trial.

    Attributes:
        path: of the changed file, with the folder that it is in.
        run: the trial.
        lacking: those of its lines that no finding shows.
        named: whether its file, or one with the same tokens, is named by the findings over it, but for shared ends.
    """

    path: str
    run: Run
    lacking: tuple[int, ...]
    named: bool

    @property
    def ends_cut(self) -> bool:
        return 0 < len(self.lacking) < len(self.run.lines) and self.run.shared.issuperset(self.lacking)

    @property
    def missed(self) -> bool:
        return bool(self.lacking) and not self.ends_cut


class Outcome(NamedTuple):
    """What became of the trials of one language and part.

    Attributes:
        part: one of PARTS.
        language: one of projects.CASTS.
        verdicts: one a trial.
        shown: lines in findings.
        beyond: those of them that are not planted.
    """

    part: str
    language: str
    verdicts: tuple[Verdict, ...]
    shown: int
    beyond: int


def main() -> None:
    arguments = _parser().parse_args()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-quality-")))
        share = -(-arguments.trials // len(arguments.languages))
        jobs = [(part, language) for part in arguments.parts for language in arguments.languages]
        with ProcessPoolExecutor(arguments.jobs) as pool:
            plan = _Plan(share, work.resolve(), arguments.selection, arguments.seed)
            outcomes = list(pool.map(partial(_outcome, plan), jobs))
    print("\n\n".join(_described(part, outcomes) for part in arguments.parts))
    missed = [
        _as_json(outcome, one) for outcome in outcomes for one in outcome.verdicts if one.lacking or not one.named
    ]
    if arguments.missed:
        arguments.missed.write_text(json.dumps(missed, indent=1))
    sys.exit(any(one.missed for outcome in outcomes for one in outcome.verdicts))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("--trials", type=int, default=10_000, metavar="N", help="of each part (default: 10,000)")
    option("--parts", type=some_of(PARTS), default=PARTS, metavar="A,B", help=f"of {', '.join(PARTS)} (default: both)")
    option(
        "--languages",
        type=some_of(CASTS),
        default=LANGUAGES,
        metavar="A,B",
        help=f"of {', '.join(CASTS)} (default: {', '.join(LANGUAGES)})",
    )
    option("--selection", choices=sorted(GUARANTEED), default=Parameters().selection, help="of the indexes")
    option("--seed", default="", metavar="WORD", help="gives other trials")
    option("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    option("--work", type=Path, metavar="DIR", help="keep packages here, and the repositories and indexes of misses")
    option("--missed", type=Path, metavar="FILE", help="write the trials that were missed or unnamed, as JSON")
    return parser


# ---- commits ---------------------------------------------------------------------------------------------------


class _Plan(NamedTuple):
    """What is to be done for each part and language: number of trials, where, with which indexes, and which trials."""

    count: int
    work: Path
    selection: str
    seed: str


class _Known(NamedTuple):
    """Known files and the indexes that have them.

    Attributes:
        files: those that runs are cut from.
        indexes: all of them are asked.
        trees: folders with a folder for each project.
    """

    files: list[KnownFile]
    indexes: list[Path]
    trees: list[Path]


def _outcome(plan: _Plan, job: tuple[str, str]) -> Outcome:
    part, language = job
    count, work, selection, seed = plan
    folder = work / "guarantee" / f"{language}-{part}"
    shutil.rmtree(folder, ignore_errors=True)
    rng = random.Random(f"guarantee {language} {part}{seed}")
    projects = CASTS[language].donors + CASTS[language].known
    sample = _sample(texts(projects, work), rng)
    if part == "default":
        link_known(folder / "known", projects, work)
        known = _Known(sample, [index_of(folder / "known", folder, "--selection", selection)], [folder / "known"])
    outcome = Outcome(part, language, (), 0, 0)
    for number in range(-(-count // A_COMMIT[part])):
        own = folder / str(number)
        if part == "random":
            known = _with_random_parameters(sample, own, selection, rng)
        outcome = _with_commit(outcome, known, own, min(A_COMMIT[part], count - len(outcome.verdicts)), rng)
    return outcome


def _with_commit(outcome: Outcome, known: _Known, folder: Path, count: int, rng: random.Random) -> Outcome:
    """The outcome with the trials of one more commit."""
    changed = dict(_changed(known.files, count, rng))
    findings = _scanned(changed, known, folder)
    verdicts, shown, beyond = [], 0, 0
    for path, file in changed.items():
        own = findings.get(path, [])
        verdicts += [_verdict(f"{folder.name}/{path}", one, own, known) for one in file.runs]
        lines = {line for finding in own for line in _lines(finding)}
        shown, beyond = shown + len(lines), beyond + len(lines - file.planted)
    if all(not one.lacking and one.named for one in verdicts):
        shutil.rmtree(folder)
    done = (*outcome.verdicts, *verdicts)
    missed = sum(one.missed for one in done)
    print(f"{outcome.language} {outcome.part}: {len(done):,} trials, {missed} missed", file=sys.stderr)
    return outcome._replace(verdicts=done, shown=outcome.shown + shown, beyond=outcome.beyond + beyond)


def _sample(every: dict[str, str], rng: random.Random) -> list[KnownFile]:
    long_enough = [path for path in sorted(every) if len(every[path]) > 4 * LEAST_TOKENS]
    paths = rng.sample(long_enough, min(SAMPLE, len(long_enough)))
    return [_known_file(path, every[path]) for path in paths]


def _known_file(path: str, text: str) -> KnownFile:
    tokens = tokenize(language_of(path, text.encode()) or "", text.encode())
    return KnownFile(path, tuple(lex(text, SYNTAX[path[path.rindex(".") :]])), tokens, Parameters())


def _with_random_parameters(sample: Sequence[KnownFile], folder: Path, selection: str, rng: random.Random) -> _Known:
    """One to three indexes with a part of the sample each, and k and w of their own."""
    parameters = [Parameters(rng.choice(K), rng.choice(W)) for _ in range(rng.randint(1, MOST_INDEXES))]
    known = _Known([], [], [folder / f"known{number}" for number in range(len(parameters))])
    for number, file in enumerate(rng.sample(sample, len(sample))):
        which = number % len(parameters)
        target = known.trees[which] / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(lexeme.text for lexeme in file.lexemes))
        known.files.append(file._replace(parameters=parameters[which]))
    for tree, (k, w, _) in zip(known.trees, parameters, strict=True):
        known.indexes.append(index_of(tree, folder, "-k", str(k), "-w", str(w), "--selection", selection))
    return known


def _changed(files: Sequence[KnownFile], count: int, rng: random.Random) -> Iterator[tuple[str, ChangedFile]]:
    """Changed files with so many runs together, by path."""
    number = 0
    while count > 0:
        syntax = rng.choice(files).syntax
        own = [file for file in files if file.syntax == syntax and len(file.tokens) >= LEAST_TOKENS]
        made = changed_file(own, rng)
        made = made._replace(runs=made.runs[:count])
        yield f"f{number}{_suffix(own)}", made
        count, number = count - len(made.runs), number + 1


def _suffix(files: Sequence[KnownFile]) -> str:
    return min(file.suffix for file in files)


def _scanned(changed: dict[str, ChangedFile], known: _Known, folder: Path) -> dict[str, list[dict]]:
    """The findings in each file of a commit that adds the files."""
    repository, configuration = folder / "repository", folder / "winnow.yml"
    run(*GIT, "init", "--quiet", str(repository))
    run(*GIT, "commit", "--quiet", "--allow-empty", "--message", "x", cwd=repository)
    for path, file in changed.items():
        (repository / path).write_text(file.text)
    run(*GIT, "add", "--all", cwd=repository)
    run(*GIT, "commit", "--quiet", "--message", "x", cwd=repository)
    # A copy shorter than min_tokens is not reported, whatever the index guarantees.
    least = min(MIN_TOKENS, *(file.parameters.guarantee for file in known.files))
    configuration.write_text(f"report: {{min_tokens: {least}}}\n")
    indexes = [word for index in known.indexes for word in ("--index", str(index))]
    scan = (*WINNOW, "scan", "--range", "HEAD~1..HEAD", "--format", "json", "--config", str(configuration), *indexes)
    found: dict[str, list[dict]] = {}
    for finding in json.loads(run(*scan, cwd=repository))["findings"]:
        found.setdefault(finding["path"], []).append(finding)
    return found


# ---- verdicts --------------------------------------------------------------------------------------------------


def _verdict(path: str, trial: Run, findings: Sequence[dict], known: _Known) -> Verdict:
    there = [finding for finding in findings if trial.lines & _lines(finding)]
    lacking = trial.lines.difference(*map(_lines, there))
    own = trial.lines - trial.shared or trial.lines
    unnamed = own.difference(*(_lines(finding) for finding in there if _names(finding, trial, known)))
    return Verdict(path, trial, tuple(sorted(lacking)), not unnamed)


def _lines(finding: dict) -> set[int]:
    return set(range(finding["start_line"], finding["end_line"] + 1))


def _names(finding: dict, trial: Run, known: _Known) -> bool:
    """Whether a finding names a file that has the very tokens of a run."""
    places = [f"{place['name']}/{place['path']}" for place in (finding["source"], *finding["also_in"])]
    if trial.source.path in places:
        return True
    tokens = tokenize(trial.source.syntax, trial.text.encode()).verbatim
    files = (tree / place for tree in known.trees for place in places if (tree / place).exists())
    return any(has_run(_verbatim(file), tokens) for file in files)


@lru_cache(maxsize=500)
def _verbatim(file: Path) -> NDArray[np.uint64]:
    content = file.read_bytes()
    return tokenize(language_of(file.name, content) or "", content).verbatim


# ---- tables ----------------------------------------------------------------------------------------------------


def _described(part: str, outcomes: Sequence[Outcome]) -> str:
    own = [outcome for outcome in outcomes if outcome.part == part]
    verdicts = [one for outcome in own for one in outcome.verdicts]
    rows = {name: [one for one in verdicts if one.run.arrangement == name] for name in ARRANGEMENTS}
    rows |= {outcome.language: list(outcome.verdicts) for outcome in own} | {"all": verdicts}
    shown = {outcome.language: (outcome.shown, outcome.beyond) for outcome in own}
    shown["all"] = (sum(outcome.shown for outcome in own), sum(outcome.beyond for outcome in own))

    def cell(row: str, column: str) -> str:
        if column == "beyond":
            lines, beyond = shown.get(row, (0, 0))
            return f"{100 * beyond / lines:.1f} %" if lines else ""
        return f"{sum(map(COLUMNS[column], rows[row])):,}"

    return table(list(rows), [*COLUMNS, "beyond"], cell, f"{part}: runs of t tokens")


COLUMNS = {
    "trials": lambda _: 1,
    "missed": lambda one: one.missed,
    "ends cut": lambda one: one.ends_cut,
    "unnamed": lambda one: not one.named,
}


def _as_json(outcome: Outcome, one: Verdict) -> dict:
    k, w, _ = one.run.source.parameters
    return {
        "part": outcome.part,
        "language": outcome.language,
        "file": one.path,
        "lines": [one.run.first, one.run.last],
        "lacking": one.lacking,
        "missed": one.missed,
        "named": one.named,
        "arrangement": one.run.arrangement,
        "source": one.run.source.path,
        "k": k,
        "w": w,
        "text": one.run.text,
    }


if __name__ == "__main__":
    main()
