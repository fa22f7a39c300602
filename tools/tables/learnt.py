"""Archives → what was counted in them, by family of languages."""

from __future__ import annotations

import hashlib
import sys
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from counts import Counted, added, counted, of_one_project
from sources import Source, sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Executor
    from pathlib import Path

    from numpy.typing import NDArray

# No project weighs more than this, so that none is taken for all code.
MOST_TOKENS = 1_500_000
MOST_BYTES = 12_000_000
BATCH_BYTES = 400_000


def learnt(archives: Mapping[str, Path], workers: Executor) -> dict[str, Counted]:
    """Count in all archives; every file counts once, wherever else it is."""
    seen: set[bytes] = set()
    projects: dict[str, list[Counted]] = defaultdict(list)
    for name, archive in archives.items():
        said = np.empty(0, np.uint64)
        for front_end, files in _new_files(archive, seen).items():
            project, said = _said_once(_project(files, workers), said)
            projects[front_end].append(project)
            print(f"{name}: {project.tokens:,} tokens of {front_end}", file=sys.stderr, flush=True)
    return {front_end: added(parts) for front_end, parts in sorted(projects.items())}


def _said_once(project: Counted, said: NDArray[np.uint64]) -> tuple[Counted, NDArray[np.uint64]]:
    """Count a phrase once, if a project says it in several families of languages."""
    phrases = project.phrases
    again = np.isin(phrases.things, said)
    once = phrases._replace(projects=np.where(again, 0, phrases.projects))
    return project._replace(phrases=once), np.concatenate([said, phrases.things[~again]])


def _new_files(archive: Path, seen: set[bytes]) -> dict[str, list[Source]]:
    """Files by front end, in an order that mixes an archive's folders, and that is the same every time."""
    files: dict[str, dict[bytes, Source]] = defaultdict(dict)
    for file in sources(archive):
        digest = hashlib.sha256(file.content).digest()
        if digest not in seen:
            seen.add(digest)
            files[file.front_end][digest] = file
    return {front_end: [own[digest] for digest in sorted(own)] for front_end, own in sorted(files.items())}


def _project(files: list[Source], workers: Executor) -> Counted:
    parts: list[Counted] = []
    for part in workers.map(counted, list(_batches(files))):
        parts.append(part)
        if sum(one.tokens for one in parts) >= MOST_TOKENS:
            break
    return of_one_project(parts)


def _batches(files: list[Source]) -> Iterator[list[Source]]:
    batch: list[Source] = []
    size = total = 0
    for file in files:
        batch.append(file)
        size += len(file.content)
        total += len(file.content)
        if size >= BATCH_BYTES or total >= MOST_BYTES:
            yield batch
            batch, size = [], 0
        if total >= MOST_BYTES:
            return
    if batch:
        yield batch
