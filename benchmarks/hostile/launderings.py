"""Copies brought in steps: one pull request brings the code as something else or in part, the next ones make it code.

A series is held if one of its pull requests does not pass.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from commands import judged
from containers import CONTAINERS
from histories import NOTHING, Submodule
from known_code import CONFIGURATION, SAMPLES
from scanning import Stage, recipe
from trials import Outcome, Part, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from random import Random

    from histories import Tree
    from known_code import Sample
    from trials import Attempt


class Way(NamedTuple):
    """A series of pull requests.

    Attributes:
        steps: what each changes; None where the language has no such thing.
        base: what the repository has besides.
        limit: the documented limit that lets it pass, if there is one.
    """

    steps: Callable[[Sample], Sequence[Tree] | None]
    base: Tree = NOTHING
    limit: str = ""


def _uncovered(container: str, sample: Sample) -> Sequence[Tree] | None:
    """Two pull requests: the code as text, then as itself, wherever it was."""
    kept = CONTAINERS[container].keep(sample)
    if kept is None:
        return None
    path, content = kept
    return {path: content}, {path: None, sample.path: sample.text}


def _by_way_of(first: str, second: str, sample: Sample) -> Sequence[Tree] | None:
    """Three pull requests: as one kind of text, as another, as itself."""
    one, other = (CONTAINERS[name].keep(sample) for name in (first, second))
    if one is None or other is None:
        return None
    return {one[0]: one[1]}, {one[0]: None, other[0]: other[1]}, {other[0]: None, sample.path: sample.text}


def _halves(sample: Sample) -> list[str]:
    lines = sample.text.splitlines(keepends=True)
    return ["".join(lines[: len(lines) // 2]), "".join(lines[len(lines) // 2 :])]


def _by_halves(sample: Sample) -> Sequence[Tree]:
    first, second = _halves(sample)
    return {"docs/first.txt": first, "docs/second.txt": second}, {sample.path: first}, {sample.path: first + second}


def _interleaved(sample: Sample) -> Sequence[Tree]:
    """Every second line first, in a text; then all of them."""
    half = "".join(sample.text.splitlines(keepends=True)[::2])
    return {"docs/kept.txt": half}, {"docs/kept.txt": sample.text}, {"docs/kept.txt": None, sample.path: sample.text}


def _dripping(lines: int, sample: Sample) -> Sequence[Tree]:
    """A few lines more with each pull request."""
    text = sample.text.splitlines(keepends=True)
    return [{sample.path: "".join(text[: at + lines])} for at in range(0, len(text), lines)]


def _moved(path: str) -> Callable[[Sample], Sequence[Tree]]:
    def steps(sample: Sample) -> Sequence[Tree]:
        place = f"{path}/roads.{sample.ending}"
        return {place: sample.text}, {place: None, sample.path: sample.text}

    return steps


def _moved_with_an_edit(sample: Sample) -> Sequence[Tree]:
    place = "docs/kept.txt"
    return {place: sample.text}, {place: None, sample.path: f"{sample.line} ours\n{sample.text}"}


def _copied(sample: Sample) -> Sequence[Tree]:
    return {"docs/kept.txt": sample.text}, {sample.path: sample.text}


def _included(sample: Sample) -> Sequence[Tree]:
    """The folder is left out first; that it is no longer, is the configuration's own change."""
    place = f"vendor/roads.{sample.ending}"
    return {place: sample.text}, {".winnow.yml": CONFIGURATION}, {place: None, sample.path: sample.text}


def _submodule(sample: Sample) -> Sequence[Tree]:
    return {"lib": Submodule()}, {"lib": None, f"lib/roads.{sample.ending}": sample.text}


def _in_other_case(sample: Sample) -> Sequence[Tree]:
    place = f"src/ROADS.{sample.ending.upper()}.TXT"
    return {place: sample.text}, {place: None, f"src/ROADS.{sample.ending.upper()}": sample.text}


_LEFT_OUT: Tree = {".winnow.yml": f"{CONFIGURATION}paths: {{exclude: ['vendor/**']}}\n"}
_TEMPLATES: Tree = {".winnow.yml": f"{CONFIGURATION}boilerplate: ['templates/**']\n"}
WAYS = {
    **{f"{name}, then itself": Way(partial(_uncovered, name)) for name in CONTAINERS},
    "a text file, then copied": Way(_copied),
    "a text file, then moved with an edit": Way(_moved_with_an_edit),
    "a folder that is left out, then moved": Way(_moved("vendor"), _LEFT_OUT),
    "a folder that is left out, then not, then moved": Way(_included, _LEFT_OUT),
    "a template, then moved": Way(_moved("templates"), _TEMPLATES, "boilerplate counts once it is merged"),
    "a submodule, then a folder": Way(_submodule),
    "capitals of a text file, then of code": Way(_in_other_case),
    "in drips of eight lines": Way(partial(_dripping, 8)),
    "in drips of four lines": Way(partial(_dripping, 4)),
    "halves in texts, then one, then both": Way(_by_halves),
    "every second line, then all, then code": Way(_interleaved),
    "a text file, then Markdown, then itself": Way(partial(_by_way_of, "a text file", "a Markdown fence")),
    "a comment, then a string, then itself": Way(partial(_by_way_of, "a block comment", "a long string")),
    "JSON, then a text file, then itself": Way(partial(_by_way_of, "JSON", "a text file")),
    "base64, then a text file, then itself": Way(partial(_by_way_of, "base64", "a text file")),
    "an image, then another language, then itself": Way(
        partial(_by_way_of, "the name of an image", "the ending of another language")
    ),
    "a notebook, then a docstring, then itself": Way(partial(_by_way_of, "a notebook", "a docstring")),
}
ROWS = [(name, sample) for name, way in WAYS.items() for sample in SAMPLES.values() if way.steps(sample)]


def _prepared(work: Path) -> Attempt:
    return partial(_attempt, Stage.prepared(work))


def _attempt(stage: Stage, number: int, _: Random) -> Outcome:
    name, sample = ROWS[number]
    way = WAYS[name]
    steps = way.steps(sample) or ()
    scans = stage.series(steps, way.base)
    what = f"{name}; {sample.language}"
    bug = next((scan.ended for scan in scans if scan.ended.is_bug), None)
    last = scans[-1].ended._replace(cpu=max(scan.ended.cpu for scan in scans))
    outcome = judged(what, bug or last, is_held=last.status != 0, limit=way.limit, files=recipe(steps))
    at = f"pull request {len(scans)}, {outcome.says}"
    return outcome._replace(says=at) if outcome.verdict is Verdict.HELD else outcome


PART = Part("launderings", "copies over two and three pull requests", len(ROWS), len(ROWS), _prepared, is_table=True)
