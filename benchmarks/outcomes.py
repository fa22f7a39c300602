"""Freeze what the program finds, and check that a change of its code leaves all of it as it was.

    python benchmarks/outcomes.py --work DIR [--accept] [--only generated|quality|projects] [--jobs N]

Three parts, each through the commands that a user has, so that the code behind them may change in any way:

- generated: 100,000 texts of chance, in a language of each fast tokenizer but that of HTML, become known code. Pieces
  of them, with names changed and lines dropped, become a change.
- quality: the rounds of the set `evidence` of benchmarks/quality, 2,880 copies planted in real code.
- projects: ten real projects, each looked up in the framework that it uses.

A digest of an index covers tokens, fingerprints and phrases of all that is known. A digest of a report covers regions,
groups, evidence and ids. `outcomes.json` has one of each for each language, round and project. Exits with 1 if any
differs, and names it. `--accept` writes the file anew: look first at what has changed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "quality"), str(HERE.parent / "tests")]

import ours  # noqa: E402 - of benchmarks/quality
from mutations import MUTATIONS  # noqa: E402
from noise import lay_out  # noqa: E402
from noise_pairs import PAIRS  # noqa: E402
from rounds import make  # noqa: E402
from sets import SETS  # noqa: E402

from support.golden_tokens import code  # noqa: E402
from support.tokenizing_cases import texts  # noqa: E402
from winnow_ci.languages.families import FAMILIES  # noqa: E402
from winnow_ci.languages.language_detection import EXTENSIONS  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from winnow_ci.languages.families import LanguageFamily

    Digests = dict[str, str]

ACCEPTED = HERE / "outcomes.json"
# Of each language.
KNOWN_FILES, TEXTS_OF_A_FILE, CHANGED_FILES = 676, 4, 60
PLANTS_OF_EACH_LENGTH = 3
PROJECTS = 10
# What a report says of the machine, the version and the moment.
_PASSING = {"base", "head", "description", "indexes", "policy_digest", "advice"}
_NAME = re.compile(rb"\b[a-z]\w{2,}\b")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--work", type=Path, required=True, metavar="DIR", help="keep packages, rounds and indexes here"
    )
    parser.add_argument("--accept", action="store_true", help="write what is found now")
    parser.add_argument("--only", choices=PARTS, help="this part alone")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    asked = parser.parse_args()
    before: dict[str, Digests] = json.loads(ACCEPTED.read_text()) if ACCEPTED.exists() else {}
    parts = [asked.only] if asked.only else PARTS
    with ProcessPoolExecutor(asked.jobs) as pool:
        found = {part: dict(pool.map(_done, PARTS[part](asked.work.resolve()))) for part in parts}
    if asked.accept:
        ACCEPTED.write_text(json.dumps(before | found, indent=1) + "\n")
    different = [f"{part}: {name}" for part in parts for name in _different(before.get(part, {}), found[part])]
    print(*different, sep="\n", end="\n" * bool(different))
    print(f"{sum(map(len, found.values()))} outcomes, {len(different)} different")
    return int(bool(different) and not asked.accept)


def _different(before: Digests, after: Digests) -> list[str]:
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def _done(work: Callable[[], tuple[str, str]]) -> tuple[str, str]:
    return work()


def _generated(work: Path) -> Iterator[Callable[[], tuple[str, str]]]:
    for family in FAMILIES:
        yield partial(_of_family, family.languages[0], work / "outcomes")


def _quality(work: Path) -> Iterator[Callable[[], tuple[str, str]]]:
    for language in SETS["evidence"]:
        for mutation in MUTATIONS:
            yield partial(_of_round, language, mutation, work)


def _projects(work: Path) -> Iterator[Callable[[], tuple[str, str]]]:
    for pair in PAIRS["framework"][:PROJECTS]:
        yield partial(_of_pair, pair, work)


PARTS = {"generated": _generated, "quality": _quality, "projects": _projects}


def _of_family(language: str, work: Path) -> tuple[str, str]:
    """The outcome of texts of chance in a language."""
    family = next(family for family in FAMILIES if family.languages[0] == language)
    ending = next(ending for ending, of in EXTENSIONS.items() if of in family.languages)
    folder = work / language
    shutil.rmtree(folder, ignore_errors=True)
    rng = random.Random(language)
    known = _known_texts(family, rng)
    _write(folder / "known" / "generated", ending, known)
    _write(folder / "repository", ending, [_changed(rng, known) for _ in range(CHANGED_FILES)])
    found = _outcome(folder / "known", folder / "repository", folder)
    shutil.rmtree(folder)
    return language, found


def _known_texts(family: LanguageFamily, rng: random.Random) -> list[bytes]:
    made = texts(family, rng, [code(family)])
    return [b"\n".join(islice(made, TEXTS_OF_A_FILE)) for _ in range(KNOWN_FILES)]


def _changed(rng: random.Random, known: list[bytes]) -> bytes:
    """Pieces of known texts; of some, names are changed and lines dropped."""
    lines: list[bytes] = []
    for text in rng.sample(known, 3):
        piece = text.splitlines(keepends=True)
        start = rng.randrange(len(piece)) if piece else 0
        piece = piece[start : start + rng.choice((5, 20, 80))]
        if rng.random() < 0.5:
            piece = [_NAME.sub(lambda name: b"n" + name[0][::-1], line) for line in piece]
        if rng.random() < 0.5:
            piece = [line for line in piece if rng.random() < 0.9]
        lines += [*piece, b"\n"]
    return b"".join(lines)


def _write(folder: Path, ending: str, contents: list[bytes]) -> None:
    folder.mkdir(parents=True)
    for number, content in enumerate(contents):
        (folder / f"f{number}.{ending}").write_bytes(content)


def _of_round(language: str, mutation: str, work: Path) -> tuple[str, str]:
    name = f"{language}, {mutation}"
    made = make(language, mutation, PLANTS_OF_EACH_LENGTH, work, SETS["evidence"][language], "evidence")
    scans = work / "outcomes" / name
    # An index that an interrupted run has left may be of another kernel.
    shutil.rmtree(scans, ignore_errors=True)
    scans.mkdir(parents=True)
    repository = ours.made_repository(made.folder, scans / "repository")
    found = _outcome(made.folder / "known", repository, scans, "--range", "HEAD~1..HEAD")
    shutil.rmtree(scans)
    return name, found


def _of_pair(pair: tuple[str, str, str], work: Path) -> tuple[str, str]:
    _, known, changed = pair
    folder = work / "outcomes" / f"{known}-{changed}"
    shutil.rmtree(folder, ignore_errors=True)
    lay_out(pair, folder, work)
    found = _outcome(folder / "known", folder / "repository", folder)
    shutil.rmtree(folder)
    return f"{known} <- {changed}", found


def _outcome(known: Path, repository: Path, work: Path, *scope: str) -> str:
    """Digests of an index of known code, and of the report on a repository that is looked up in it."""
    index = ours.index_of(known, work)
    if not scope:
        ours.run(*ours.GIT, "init", "--quiet", str(repository))
    command = (*ours.WINNOW, "scan", *(scope or ("--all",)), "--format", "json", "--index", str(index))
    report: dict[str, Any] = json.loads(ours.run(*command, cwd=repository))
    scan = {name: value for name, value in report["scan"].items() if name not in _PASSING}
    said = json.dumps([scan, report["findings"]], sort_keys=True).encode()
    return f"{report['scan']['indexes'][0]['digest']} {sha256(said).hexdigest()[:32]}"


if __name__ == "__main__":
    sys.exit(main())
