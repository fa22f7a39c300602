"""Stops a sync before each of its steps on disk, one after another: a program, to be run in a folder of its own.

Its arguments are a template of the folder that has the manifest, how to stop, and the text to add to the manifest. A
step is whatever opens a file of that folder for writing, renames one or removes one, or opens the folder itself to
make that lasting; Python tells its audit hooks before it takes it. Each sync is a process of its own, forked from this
one. It prints a JSON list with an item for each step: the step, and the contents of the folder (by name, in
hexadecimal) when the sync had ended, and after the next.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.config.manifest import load_manifest, parse_manifest
from winnow_ci.errors import WinnowError
from winnow_ci.indexer.building import in_silence
from winnow_ci.indexer.syncing import SyncOptions, SyncProgress
from winnow_ci.operations.indexing import ManifestEdit, synchronise

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path("work")
MANIFEST = FOLDER / "sources.yml"
PROGRESS = SyncProgress(in_silence, lambda error: None)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def step(event: str, arguments: tuple[Any, ...]) -> str | None:
    """What a step is called; None for what is none."""
    if event not in {"open", "os.rename", "os.remove"} or isinstance(arguments[0], int):
        return None
    path = Path(os.fsdecode(arguments[0]))
    is_written = event != "open" or path == FOLDER or bool(arguments[2] & WRITING)
    return f"{event} {path.name}" if FOLDER in (path, path.parent) and is_written else None


def stop(how: str) -> None:
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    raise KeyboardInterrupt if how == "interrupt" else OSError(28, "No space left on device")


def added(text: bytes) -> None:
    """Sync with a longer manifest."""
    before = MANIFEST.read_bytes()
    edit = ManifestEdit(before, before + text)
    with contextlib.suppress(WinnowError, KeyboardInterrupt):
        synchronise(parse_manifest(edit.after, MANIFEST), SyncOptions(), PROGRESS, edit)


def in_a_process(work: Callable[[], object]) -> None:
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def stopped(number: int, how: str, text: bytes, log: Path) -> None:
    """Stop before the step of that number."""
    seen = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if name := step(event, arguments):
            seen += 1
            if seen == number + 1:
                log.write_text(name)
                stop(how)

    sys.addaudithook(hook)
    added(text)


def contents() -> dict[str, str]:
    return {path.name: path.read_bytes().hex() for path in FOLDER.iterdir()}


def main(template: str, how: str, text: str) -> None:
    results: list[dict[str, Any]] = []
    log = Path("log")
    while True:
        shutil.rmtree(FOLDER, ignore_errors=True)
        shutil.copytree(template, FOLDER)
        log.unlink(missing_ok=True)
        in_a_process(lambda: stopped(len(results), how, text.encode(), log))
        after = contents()
        if not log.exists():
            break
        in_a_process(lambda: synchronise(load_manifest(MANIFEST), SyncOptions(), PROGRESS))
        results.append({"step": log.read_text(), "after": after, "next": contents()})
    sys.stdout.write(json.dumps({"stopped": results, "whole": after}))


if __name__ == "__main__":
    main(*sys.argv[1:])
