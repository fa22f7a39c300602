"""Damaged indexes: no command takes one for what it was, and no finding gets lost."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commands import git, here
from damage import dump
from known_code import SAMPLES
from mutations import AWKWARD
from trials import Outcome, Part, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from commands import Ended
    from trials import Attempt

PAGE = 4096
# Only each tenth trial asks git what to look up. The others are told, which takes a third of the time.
EVERY_SCAN = 10
# Besides the look-up and verify, which each trial runs.
COMMANDS = (("list",), ("list", "--licences"), ("list", "--json"))
LOOKING = {"scan": ("--all",), "check": ("roads.py",)}
TABLES = "meta source directory pack block text".split()
ODD_VALUES = (None, 0, -1, 1 << 62, 0.5, float("inf"), "", "x" * 5000, "\0", b"", b"\0" * 64, "\ud7ff", "2", b"[]")


class Sound(NamedTuple):
    """A sound index, what SQLite reads from it, and what the look-ups of a copy in it find."""

    data: bytes
    rows: object
    findings: Mapping[str, object]


def _prepared(work: Path) -> Attempt:
    source, other = work / "source", work / "repository"
    source.mkdir()
    for sample in SAMPLES.values():
        (source / f"closures.{sample.ending}").write_text(sample.text)
    index = work / "sound.db"
    options = ("--name", "known", "--license", "GPL-3.0-only", "--with-text")
    done = here("index", "build", source, "--output", index, *options)
    assert done.status == 0, done.told()
    other.mkdir()
    (other / "roads.py").write_text(SAMPLES["python"].text)
    git(other, "init", "--quiet")
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "--message", "copy")
    os.chdir(other)
    found = {}
    for command in LOOKING:
        ended = _look(command, index)
        assert ended.status == 1, ended.told()
        found[command] = _findings(ended)
    return partial(_attempt, Sound(index.read_bytes(), _rows(index), found), other)


def _look(command: str, index: Path) -> Ended:
    return here(command, *LOOKING[command], "--format", "json", "--index", index)


def _findings(scanned: Ended) -> object:
    """The findings of a JSON report, which also names the index that it was made with."""
    return json.loads(scanned.output)["findings"] if scanned.output else None


def _attempt(sound: Sound, repository: Path, number: int, chance: Random) -> Outcome:
    index = Path("damaged.db").resolve()
    what = damaged(index, sound.data, chance)
    os.chdir(repository)
    changed = _rows(index) != sound.rows
    others = [here("index", *COMMANDS[number % len(COMMANDS)], index)]
    looking = "check" if number % EVERY_SCAN else "scan"
    return _judged(what, index, sound, [_look(looking, index), *others], looking, is_changed=changed)


def _rows(index: Path) -> object:
    """What SQLite reads, but for the names of its own indexes, which it does not look at."""
    read = dump(index)
    if isinstance(read, str):
        return read
    pragmas, schema, tables = read
    return pragmas, [row for row in schema if row[0] != "index"], tables


def _judged(what: str, index: Path, sound: Sound, ended: Sequence[Ended], looking: str, *, is_changed: bool) -> Outcome:
    looked, *others = ended
    verified = here("index", "verify", index)
    files = {"damaged.db": index.read_bytes()}
    for done in (looked, verified, *others):
        if done.is_bug or done.status not in {0, 1, 3}:
            return Outcome(Verdict.TRACEBACK, what, done.told(), files)
    if looked.status != 3 and (looked.status, _findings(looked)) != (1, sound.findings[looking]):
        return Outcome(Verdict.MISSED, what, f"{looking} gave another answer: {looked.told()}", files)
    if is_changed and verified.status != 3:
        return Outcome(Verdict.MISSED, what, "verify takes it for sound", files)
    return Outcome(Verdict.HELD, what, f"{looking} {looked.status}, verify {verified.status}")


def damaged(place: Path, data: bytes, chance: Random) -> str:
    """Write a damaged copy of an index; returns how it was damaged."""
    ways = (_bytes, _bytes, _bytes, _cut, _swapped, _zeroed, _copied_page, _appended)
    number = chance.randrange(len(ways) + 1)
    if number == len(ways):
        return _cell(place, data, chance)
    way = ways[number]
    place.write_bytes(way(bytearray(data), chance))
    return way.__name__.strip("_").replace("_", " ")


def _bytes(data: bytearray, chance: Random) -> bytes:
    """Most of a small index is free space, where nothing happens; so half of the bytes are ones that are used."""
    for _ in range(chance.choice((1, 1, 2, 8, 32))):
        at = chance.randrange(len(data))
        while not data[at] and chance.random() < 0.9:
            at = chance.randrange(len(data))
        data[at] ^= chance.randrange(1, 256)
    return bytes(data)


def _cut(data: bytearray, chance: Random) -> bytes:
    end = chance.randrange(len(data))
    return bytes(data[: end if chance.random() < 0.5 else end // PAGE * PAGE])


def _page(data: bytearray, chance: Random) -> slice:
    at = chance.randrange(len(data) // PAGE) * PAGE
    return slice(at, at + PAGE)


def _swapped(data: bytearray, chance: Random) -> bytes:
    one, other = _page(data, chance), _page(data, chance)
    data[one], data[other] = data[other], data[one]
    return bytes(data)


def _zeroed(data: bytearray, chance: Random) -> bytes:
    data[_page(data, chance)] = chance.choice((b"\0", b"\xff", chance.randbytes(1))) * PAGE
    return bytes(data)


def _copied_page(data: bytearray, chance: Random) -> bytes:
    data[_page(data, chance)] = data[_page(data, chance)]
    return bytes(data)


def _appended(data: bytearray, chance: Random) -> bytes:
    """Bytes that are put in or appended, so that pages no longer begin where they did."""
    at = chance.choice((len(data), chance.randrange(len(data))))
    data[at:at] = chance.choice((chance.choice(AWKWARD), bytes(PAGE), data[:PAGE]))
    return bytes(data)


def _cell(place: Path, data: bytes, chance: Random) -> str:
    """A value of a row that SQLite takes, and whose digest is no longer right."""
    place.write_bytes(data)
    with contextlib.closing(sqlite3.connect(place)) as connection, contextlib.suppress(sqlite3.Error):
        table = chance.choice(TABLES)
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        keys = [row[0] for row in connection.execute(f"SELECT rowid FROM {table}")]
        column, key = chance.choice(columns), chance.choice(keys)
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (chance.choice(ODD_VALUES), key))
        connection.commit()
        return f"a cell of {table}.{column}"
    return "a cell that cannot be changed"


PART = Part("indexes", "damaged indexes: scan, list, verify", 1_000, 50_000, _prepared)
