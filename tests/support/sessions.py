"""Sessions: text files in which somebody works with the command, step by step, as in a terminal.

A session begins with ``===`` and what happens. What stands above the first one belongs to each of the file::

    start: copied                   the folder to work in: empty, or a fixture (checkout, copied or project)
    windows: other words            why it is left out there
    --- .winnow.yml                 a file, which is written there
    index: ['$KNOWN']
    $ winnow-ci scan --staged       a step: winnow-ci, git, or one of WORDS
    find: a.py verbatim; b.py       words about each finding; such a scan is made with ``--format json``
    status: 1                       its exit status; if none is named, what the findings say, or 0
    out: 1 … error                  a part of what it prints, after what the line before this found
    no err: notice                  what stands nowhere in its messages
    output: no findings             all that it prints, line by line; ``errors:`` for its messages
    error 2: unknown key -> did you mean policy?    its status, a part of its last error, and of the advice below that

``nothing`` stands for no finding and no output. ``$KNOWN`` is an index of known code, ``$SOURCE`` a folder with that
code, ``$TMP`` the folder around the one to work in, and ``$1`` the id of the first finding of the last ``find:``.
``@code NAME`` stands for ``tests/cases/code/NAME``, and ``\\n`` for the end of a line in what is expected.
"""

from __future__ import annotations

import filecmp
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from support.cases import code, finding_line
from support.command import Ended, winnow
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FOLDER = Path(__file__).resolve().parents[1] / "cli" / "sessions"
_EXPECTED = re.compile(r"(status|out|err|no out|no err|output|errors|find|error \d): (.*)")


class Line(NamedTuple):
    """A line of a session, and where it is."""

    place: str
    text: str


class Session(NamedTuple):
    """What happens, in which folder, and how."""

    name: str
    lines: tuple[Line, ...]

    def said(self, key: str) -> str:
        """What is said last of where it begins (start) or why it is left out on Windows (windows), or nothing."""
        return ["", *(line.text.partition(": ")[2] for line in self.lines if line.text.startswith(f"{key}: "))][-1]


def all_sessions() -> list[Session]:
    """The sessions of all files."""
    return [session for file in sorted(FOLDER.glob("*.txt")) for session in parsed(file.read_text("utf-8"), file.stem)]


def parsed(text: str, name: str) -> Iterator[Session]:
    """The sessions of a file."""
    lines = [Line(f"{name}:{number}", line) for number, line in enumerate(text.splitlines(), 1)]
    heads = [at for at, line in enumerate(lines) if line.text.startswith("=== ")]
    for head, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        yield Session(f"{name}: {lines[head].text[4:]}", (*lines[: heads[0]], *lines[head + 1 : end]))


def _copy(here: Path, source: str, target: str) -> None:
    if (here / source).is_dir():
        shutil.copytree(here / source, here / target, dirs_exist_ok=True)
    else:
        (here / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(here / source, here / target)


def _remove(here: Path, *paths: str) -> None:
    for path in paths:
        shutil.rmtree(here / path) if (here / path).is_dir() else (here / path).unlink()


def _replace(here: Path, path: str, old: str, new: str) -> None:
    text = (here / path).read_text()
    before, found, after = text.partition(old.replace("\\n", "\n"))
    assert found, text
    (here / path).write_text(before + new.replace("\\n", "\n") + after)


def _compare(here: Path, one: str, other: str) -> None:
    assert filecmp.cmp(here / one, here / other, shallow=False), f"{one} and {other} differ"


WORDS: dict[str, Callable[..., object]] = {
    "cat": lambda here, path: (here / path).read_text(),
    "cmp": _compare,
    "cp": _copy,
    "commit": lambda here: Checkout(here).commit(),
    "git": lambda here, *arguments: Checkout(here).git(*arguments) + "\n",
    "ln": lambda here, target, path: (here / path).symlink_to(target),
    "ls": lambda here, path=".": "".join(f"{one.name}\n" for one in sorted((here / path).iterdir())),
    "mkdir": lambda here, path: (here / path).mkdir(parents=True),
    "mv": lambda here, path, target: (here / path).replace(here / target),
    "replace": _replace,
    "rm": _remove,
}


class Terminal:
    """Somebody in a folder; ``values`` are what names that begin with a dollar sign stand for."""

    def __init__(self, folder: Path, values: dict[str, str]) -> None:
        self._folder = folder
        self._values = {**values, "TMP": folder.parent.as_posix()}

    def work(self, session: Session) -> None:
        """Do all that a session says, and see what it says."""
        steps: list[tuple[Line, list[Line]]] = []
        for line in session.lines:
            if line.text.startswith(("--- ", "$ ")):
                steps.append((line, []))
            elif not line.text.startswith(("start: ", "windows: ")):
                assert steps or not line.text, f"{line.place}: {line.text!r} belongs to no step"
                below = steps[-1][1] if steps else []
                below.append(line)
        for head, below in steps:
            if head.text.startswith("--- "):
                self._write(self._filled(head.text[4:]), [line.text for line in below])
            else:
                self._run(head, below)

    def _filled(self, text: str) -> str:
        return re.sub(r"\$([A-Z]+|\d)", lambda name: self._values[name[1]], text)

    def _write(self, path: str, lines: list[str]) -> None:
        text = "".join(code(line[6:]) if line.startswith("@code ") else f"{line}\n" for line in lines)
        file = self._folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(self._filled(text.rstrip("\n") + "\n").encode())

    def _run(self, head: Line, below: list[Line]) -> None:
        finds = any(line.text.startswith("find: ") for line in below)
        words = shlex.split(self._filled(head.text[2:]))
        ended = self._ended([*words, *(("--format", "json") if finds else ())])
        findings = ended.findings() if finds else []
        self._values |= {f"{number}": one["id"] for number, one in enumerate(findings, 1)}
        fails = any(one["level"] == "error" and not one["suppressed"] for one in findings)
        texts = self._expected(below)
        error = next((kind for kind in texts if kind.startswith("error ")), "")
        status = int(error[6:] or texts.get("status", [fails])[0])
        assert ended.status == status, f"{head.place}: {ended}"
        if error:
            problem, _, remedy = texts[error][0].partition(" -> ")
            said = [_printed(line) for line in ended.complaint(status)]
            assert problem in said[0], f"{head.place}: {ended}"
            assert remedy in said[1], f"{head.place}: {ended}"
        if finds:
            wanted, found = texts["find"][0].split("; "), [finding_line(one) for one in findings] or ["nothing"]
            assert len(wanted) == len(found), f"{head.place}: {found}"
            assert all(map(_says, found, wanted)), f"{head.place}: {found}"
        for kind, printed in (("out", ended.output), ("err", ended.errors)):
            _check(head.place, texts, kind, printed)

    def _expected(self, below: list[Line]) -> dict[str, list[Any]]:
        """What a step must print, find or end with, by kind."""
        texts: dict[str, list[Any]] = {}
        for line in below:
            found = _EXPECTED.fullmatch(line.text)
            assert found or not line.text, f"{line.place}: {line.text!r} says nothing of a step"
            if found:
                text = self._filled(found[2]).replace("\\n", "\n")
                texts.setdefault(found[1], []).append(re.sub(" +", " ", text))
        return texts

    def _ended(self, words: list[str]) -> Ended:
        variables = dict(
            word.split("=", 1) for word in words[: next(n for n, one in enumerate(words) if "=" not in one)]
        )
        program, *arguments = words[len(variables) :]
        given = b""
        if "<" in arguments:
            *arguments, _, path = arguments
            given = (self._folder / path).read_bytes()
        if program == "winnow-ci":
            return winnow(*arguments, cwd=self._folder, given=given, **variables)
        if program == "cd":
            self._folder /= arguments[0]
            return Ended(0, "", "")
        return Ended(0, str(WORDS[program](self._folder, *arguments) or ""), "")


def _printed(text: str) -> str:
    """What is printed, with one space for several, and on Windows with the slashes of sessions."""
    return re.sub(" +", " ", text if os.sep == "/" else text.replace(os.sep, "/"))


def _says(line: str, words: str) -> bool:
    """Return whether a line about a finding has all these words; a path may stand without its lines."""
    has = {*line.split(), *(word.rpartition(":")[0] for word in line.split())}
    return has.issuperset(words.split())


def _check(place: str, texts: Mapping[str, list[Any]], kind: str, printed: str) -> None:
    """Look for all of a stream, or for parts of it in their order, however far apart the columns of a table are."""
    rest, whole = _printed(printed), texts.get("output" if kind == "out" else "errors")
    if whole is not None:
        assert rest == ("" if whole == ["nothing"] else "".join(f"{line}\n" for line in whole)), f"{place}: {printed}"
    for text in texts.get(f"no {kind}", ()):
        assert text not in rest, f"{place}: {printed}"
    for text in texts.get(kind, ()):
        found = re.search(r" [^\n]*".join(map(re.escape, text.split(" … "))), rest)
        assert found, f"{place}: no {text!r} in {rest!r}"
        rest = rest[found.end() :]
