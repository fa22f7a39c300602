"""Fetch parts of a file by HTTP's range requests, and keep them in the user's cache.

The cache has a sparse file, ``blocks/NAME/parts``, in which each part that has been fetched stands at its place. Each
part has a digest, so nothing notes which parts are there: what has another digest is asked for, and runs at one time
write the same bytes. A mirror needs no trust; what one lacks, or has with another digest, the next one may have.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from winnow_ci.errors import FetchError
from winnow_ci.fetching.cache import kept_parts, shrink_cache
from winnow_ci.fetching.urls import shown_url
from winnow_ci.model import FilePart

# Bytes between two parts that cost less than another request, and bytes of one request.
_GAP, _MOST = 1 << 13, 1 << 22


def fetched_parts(name: str, urls: Sequence[str], parts: Sequence[FilePart]) -> list[bytes]:
    """Return parts of a file, from the cache or from the first of ``urls`` that has them; else it is a ``FetchError``.

    ``name`` is that of the file in the cache: two files never have the same one.
    """
    with kept_parts(name) as file:
        found = {part: data for part in parts if _is(part, data := _read(file, part))}
        missing = sorted(set(parts) - found.keys())
        for run, data in _asked(urls, _runs(missing)) if missing else ():
            found |= (parts_of_run := _cut(run, data))
            for part, own in parts_of_run.items():
                os.lseek(file, part.start, os.SEEK_SET)
                os.write(file, own)
    if missing:
        shrink_cache()
    return [found[part] for part in parts]


def _read(file: int, part: FilePart) -> bytes:
    os.lseek(file, part.start, os.SEEK_SET)
    return os.read(file, part.size)


def _is(part: FilePart, data: bytes) -> bool:
    return len(data) == part.size and hashlib.blake2b(data, digest_size=len(part.digest)).digest() == part.digest


def _runs(parts: Sequence[FilePart]) -> list[list[FilePart]]:
    """Put parts together that one request should ask for."""
    runs: list[list[FilePart]] = []
    for part in parts:
        end = part.start + part.size
        if runs and part.start - sum(runs[-1][-1][:2]) <= _GAP and end - runs[-1][0].start <= _MOST:
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _cut(run: Sequence[FilePart], data: bytes) -> dict[FilePart, bytes]:
    places = ((part, part.start - run[0].start) for part in run)
    return {part: data[start : start + part.size] for part, start in places}


def _asked(urls: Sequence[str], runs: list[list[FilePart]]) -> Iterator[tuple[list[FilePart], bytes]]:
    from winnow_ci.fetching.download import fetched_ranges  # noqa: PLC0415 - 0.1 s, and the cache may have all

    problems: list[str] = []
    for url in urls:
        with noted(problems):
            spans = [(run[0].start, sum(run[-1][:2]) - run[0].start) for run in runs]
            for run, data in zip(tuple(runs), fetched_ranges(url, spans), strict=True):
                if not all(_is(part, own) for part, own in _cut(run, data).items()):
                    raise FetchError(f"{shown_url(url)}: a part does not match the index", "")
                yield run, data
                runs.remove(run)
            return
    raise FetchError("; ".join(problems), "try again, or ask whoever publishes the index")


@contextmanager
def noted(problems: list[str]) -> Iterator[None]:
    """Note what cannot be fetched from one mirror, so that the next one can be tried."""
    try:
        yield
    except FetchError as error:
        problems.append(error.problem)
