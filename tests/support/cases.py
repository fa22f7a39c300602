"""Cases: text files that hold known code, a change and the findings that a scan of it must report.

A file is read from top to bottom. What stands before its first ``===`` belongs to each of its cases::

    --- known roads GPL-3.0-only routes.py    a file of a source, with the source's name and licence
    (its text)
    --- before src/plan.py                    a file that the repository has; it stays unless the change has it too
    --- settings                              its .winnow.yml

    === A copied function is found            a case, by what happens
    --- after src/plan.py                     a file of the change
    --- find                                  all that is found, a line a finding, in the order of the report
    src/plan.py:3-20 verbatim strong error of roads routes.py:1-18 GPL-3.0-only
    src/plan.py:30-40 renamed weak note of roads routes.py:20-30 GPL-3.0-only suppressed by inline
    notice: a part of a notice                all notices of the report, in their order

``nothing`` is the line to write where nothing is found. A line ``@code NAME`` stands for ``tests/cases/code/NAME``.
A section ends at the next one, without the blank lines before that. A section of a case replaces the shared one of the
same head.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from support.command import Ended

FOLDER = Path(__file__).resolve().parents[1] / "cases"
HEAD = re.compile(r"known \S+ \S+ \S+|(?:before|after) \S.*|settings|find")
FOUND = re.compile(
    r"\S+:\d+-\d+ (?:verbatim|renamed) (?:strong|weak) (?:error|warning|note)"
    r" of \S+ \S+:\d+-\d+ \S+(?: suppressed by \w+)?|notice: \S.*|nothing"
)


class Known(NamedTuple):
    """A file of known code."""

    source: str
    licence: str
    path: str
    text: str


class Case(NamedTuple):
    """A change, what is known, and what a scan must report."""

    name: str
    known: tuple[Known, ...]
    before: dict[str, str]
    after: dict[str, str]
    expected: tuple[str, ...]


def code(name: str) -> str:
    """The code in ``tests/cases/code/NAME``."""
    return (FOLDER / "code" / name).read_text(encoding="utf-8")


def all_cases() -> list[Case]:
    """The cases of all files."""
    files = sorted(FOLDER.glob("*/*.txt"))
    return [case for file in files for case in parsed(file.read_text(), str(file.relative_to(FOLDER)))]


def parsed(text: str, name: str) -> list[Case]:
    """The cases of a file. Raises ValueError with the place of a mistake."""
    shared: dict[str, str] = {}
    cases: list[tuple[str, dict[str, str]]] = []
    sections, head = shared, ""
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{name}:{number}"
        if line.startswith("=== "):
            sections, head = {}, ""
            cases.append((f"{name}: {line[4:]}", sections))
        elif line.startswith("--- "):
            head = line[4:]
            if not HEAD.fullmatch(head):
                raise ValueError(f"{place}: {head!r} is no section: known SOURCE LICENCE PATH, before PATH, …")
            if head in sections:
                raise ValueError(f"{place}: there is a section {head!r} already")
            sections[head] = ""
        elif head:
            sections[head] += _code(line, place)
        elif line.strip():
            raise ValueError(f"{place}: this line belongs to no section; begin one with '--- '")
    if not cases:
        raise ValueError(f"{name}: there is no case; begin one with '=== ' and what happens")
    return [_case(title, {**shared, **own}) for title, own in cases]


def _code(line: str, place: str) -> str:
    if not line.startswith("@code "):
        return f"{line}\n"
    try:
        return code(line[6:])
    except OSError:
        raise ValueError(f"{place}: there is no {line[6:]} in tests/cases/code") from None


def _case(name: str, sections: Mapping[str, str]) -> Case:
    texts = {head: text.rstrip("\n") + "\n" for head, text in sections.items()}
    files: dict[str, dict[str, str]] = {"before": {}, "after": {}}
    known = []
    for head, text in texts.items():
        kind, _, rest = head.partition(" ")
        if kind == "known":
            known.append(Known(*rest.split(), text))
        elif kind in files:
            files[kind][rest] = text
        elif kind == "settings":
            files["before"][".winnow.yml"] = text
    expected = tuple(texts.get("find", "").split("\n"))[:-1]
    if not expected or expected == ("",):
        raise ValueError(f"{name}: the case expects nothing; write '--- find', and 'nothing' below if so")
    if wrong := [line for line in expected if not FOUND.fullmatch(line)]:
        raise ValueError(f"{name}: {wrong[0]!r} is neither a finding nor 'notice: …' nor 'nothing'")
    if not known or not files["after"]:
        raise ValueError(f"{name}: a case needs known code and a change, '--- known …' and '--- after …'")
    return Case(name, tuple(known), files["before"], files["after"], expected)


def found(ended: Ended) -> list[str]:
    """What a report says, in the words of a case."""
    lines = [finding_line(one) for one in ended.findings()]
    return [*(lines or ["nothing"]), *(f"notice: {said}" for said in ended.report()["scan"]["notices"])]


def finding_line(one: Mapping[str, Any]) -> str:
    """A finding, in the words of a case."""
    source = one["source"]
    parts = [
        f"{one['path']}:{one['start_line']}-{one['end_line']} {one['kind']} {one['strength']} {one['level']}",
        f"of {source['name']} {source['path']}:{source['start_line']}-{source['end_line']} {source['license']}",
    ]
    return " ".join([*parts, *([f"suppressed by {one['suppressed']}"] if one["suppressed"] else [])])


def differences(expected: tuple[str, ...], actual: list[str]) -> Iterator[str]:
    """The lines that differ, as a person reads them; a notice may be longer than expected."""
    shortened = [
        wanted if wanted.startswith("notice: ") and is_.startswith("notice: ") and wanted[8:] in is_ else is_
        for wanted, is_ in zip(expected, actual, strict=False)
    ] + actual[len(expected) :]
    yield from (f"- expected {line}" for line in expected if line not in shortened)
    yield from (f"+ found    {line}" for line in shortened if line not in expected)
    if not set(expected) ^ set(shortened) and list(expected) != shortened:
        yield "the same lines in another order or number: " + "; ".join(shortened)
