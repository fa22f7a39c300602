"""Learn the model of evidence (`winnow_ci.evidence.model`) from declared data, or measure it on data set aside.

    python tools/evidence [--work DIR] [--check | --measure] [--jobs N]

The data are sets of benchmarks/quality: copies planted in real code, unrelated projects, and users of a framework
against it, with labels (`labels.json`). The code is fetched from package registries (`packages.json` has the pins).
Each round and pair is scanned with a model that reports whatever is looked at, so the examples do not depend on the
present model. What was found is kept in the working folder; remove it after a change of matching, tables or labels.

The same data and program make the same model, byte for byte. `--check` makes it, and compares it with the present one:
exit status 1 if they differ. `--measure` prints the figures of the present model on the sets that are set aside by
project, which nothing was fitted to; they are to be opened once.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cuts import chosen_cuts
from examples import Part, all_examples, observe_with, of_pair, of_round, read, written
from figures import figures
from fitting import Fitted, fitted
from mutations import MUTATIONS
from noise_pairs import PAIRS
from rounds import make
from sets import SETS

from winnow_ci.evidence.model import FEATURES, FILE, evidence_model
from winnow_ci.start_up import sha256

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Data(NamedTuple):
    """Names of sets: of rounds of plants, of pairs of unrelated projects, of users and their framework.

    Those of ``unlearnt`` are looked at once more, as if nothing of their languages were learnt.
    """

    plants: tuple[str, ...]
    unrelated: tuple[str, ...]
    framework: tuple[str, ...]
    unlearnt: tuple[str, ...] = ()


LEARNING = Data(
    ("evidence",), ("first", "dev", "held-out", "last", "newest", "evidence"), ("framework",), ("evidence",)
)
ASIDE = Data(("aside",), ("aside",), ("framework-aside",))
# Plants of each length in a round.
EACH = 3
OPEN = {"base": 0.0, "weights": dict.fromkeys(FEATURES, 0.0), "report": -1e9, "error": 1e9}


def main() -> None:
    arguments = _arguments()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-evidence-")))
        if arguments.measure:
            print("\n".join(_measured(work.resolve(), arguments.jobs)))
            return
        model = work / "open.json"
        work.mkdir(parents=True, exist_ok=True)
        model.write_text(json.dumps(OPEN))
        parts = _parts(LEARNING, model, work.resolve(), arguments.jobs)
    found = fitted(all_examples(parts))
    cuts = chosen_cuts(parts, found)
    print("\n".join(figures(parts, found, cuts)))
    text = _text(found, cuts)
    if arguments.check:
        sys.exit(text != FILE.read_text())
    FILE.write_text(text)


def _text(found: Fitted, cuts: tuple[float, float]) -> str:
    # ``benchmarks/assistants`` has the examples of code that shares only words.
    kept = {name: weight for name, weight in evidence_model().weights.items() if name in ("words", "share")}
    weights = {name: round(value, 4) + 0.0 for name, value in found.weights.items()} | kept
    model = {"base": round(found.base, 4), "weights": weights, "report": cuts[0], "error": cuts[1]}
    return json.dumps(model, indent=1) + "\n"


def _measured(work: Path, jobs: int) -> Iterator[str]:
    """Figures of the present model on the data that is set aside: of what its scans report."""
    model = evidence_model()
    parts = _parts(ASIDE, FILE, work, jobs)
    return figures(parts, Fitted(model.base, dict(model.weights)), (model.report, model.error))


def _parts(data: Data, model: Path, work: Path, jobs: int) -> list[Part]:
    """What each round and pair gives; what an earlier run has found with this model is not looked for again."""
    folder = work / "found" / sha256(model.read_bytes()).hexdigest()[:16]
    kept = partial(_kept, folder, model)
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(kept, *zip(*_tasks(data, work), strict=True)))


def _tasks(data: Data, work: Path) -> Iterator[tuple[str, Callable[[str], Part], bool]]:
    """Each round and pair by a name of its own, with what looks for its findings, and whether as unlearnt."""
    again = {"plants": data.unlearnt, "unrelated": data.unlearnt, "framework": ()}
    sets = {"plants": data.plants, "unrelated": data.unrelated, "framework": data.framework}
    for kind, name, unlearnt in (
        *((kind, name, False) for kind, names in sets.items() for name in names),
        *((kind, name, True) for kind, names in again.items() for name in names),
    ):
        looks = _rounds(name, work) if kind == "plants" else _pairs(kind, name, work)
        for of, look in looks:
            yield of + "-unlearnt" * unlearnt, look, unlearnt


def _rounds(name: str, work: Path) -> Iterator[tuple[str, Callable[[str], Part]]]:
    for language, cast in SETS[name].items():
        for mutation in MUTATIONS:
            of = f"plants-{name}-{language}-{mutation}".replace(" ", "-").replace(",", "")
            yield of, partial(_round, language, mutation, name, cast, work)


def _pairs(kind: str, name: str, work: Path) -> Iterator[tuple[str, Callable[[str], Part]]]:
    for pair in PAIRS[name]:
        yield f"{kind}-{pair[1]}-{pair[2]}", partial(of_pair, kind=kind, pair=pair, work=work)


def _round(language: str, mutation: str, name: str, cast: object, work: Path, of: str) -> Part:
    return of_round(of, make(language, mutation, EACH, work, cast, name), work / "scans" / of)


def _kept(folder: Path, model: Path, of: str, look: Callable[[str], Part], unlearnt: bool) -> Part:
    file = folder / f"{of}.json"
    if not file.exists():
        observe_with(model, unlearnt=unlearnt)
        part = look(of)
        found = written(part._replace(language=part.language + " (unlearnt)") if unlearnt else part)
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(found)
    return read(file.read_text())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep packages, rounds and what was found here")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="compare with the present model, write nothing")
    what.add_argument("--measure", action="store_true", help="print the present model's figures on data set aside")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    return parser.parse_args()


if __name__ == "__main__":
    main()
