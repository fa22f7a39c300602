"""The lock of a manifest (``.winnow/sources.lock``): what its sources are, exactly.

    version: 1
    parameters:
      k: 16
      w: 9
      selection: anchored
    sources:
    - name: six
      purl: pkg:pypi/six
      pinned:
        version: 1.17.0
        artifacts:
        - filename: six-1.17.0.tar.gz
          sha256: ff70335d468e7eb6ec65b95b99d3a2836546063f63acc5171de367e834932a81
        license: MIT
        license-from: PKG-INFO
      check: 0f1e2d3c4b5a6978
    ...

Each source has what the manifest declares and what that was pinned to. Sources are sorted by name, so that a changed
source changes only its own lines, and git can merge changes of different sources. The file has no times and no hosts.
``check`` is a digest of the rest of its source: it reveals a source that was edited by hand, or that mixes two sides of
a conflict. Three dots end the file, so that a file that was cut off is noticed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import xxhash
import yaml

from winnow_ci.config import yaml_readers as read
from winnow_ci.config.source import SOURCE_KEYS, DeclaredSource, SourceOrigin, check_source, source_with
from winnow_ci.config.team_files import mistakes_reported, read_untrusted, refuse_conflict, refuse_large
from winnow_ci.fetching.packages import Artifact
from winnow_ci.model import Parameters
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import field, record

MOST_BYTES_OF_LOCK = 4 << 20
_VERSION = 1
_END = "..."
_HEAD = (
    "# The exact content of each source in the manifest. Written by winnow-ci index sync: commit it, do not edit it.\n"
)
_AGAIN = "restore it from git, or delete it and run winnow-ci index sync, which pins all sources again"


@record(frozen=True, slots=True)
class SourcePins:
    """What a source is exactly."""

    version: str | None = None  # as its origin says; None if it says none
    artifacts: tuple[Artifact, ...] = ()  # files of a package, or the archive at a URL
    commit: str | None = None  # the full id of a revision
    tags: tuple[tuple[str, str], ...] = ()  # with ``all_tags``, each tag and the full id of its commit
    digest: str | None = None  # of the content of a path
    license: str | None = None  # what was found in it; None if the manifest has a licence
    license_from: str | None = None  # where it was found


class PinnedSource(NamedTuple):
    """A source as it was declared when it was pinned, and what it is exactly."""

    declared: DeclaredSource
    pins: SourcePins


@record(frozen=True, slots=True)
class SourceLock:
    """What an index holds: the parameters of fingerprints and the sources by name, enough to make it again."""

    parameters: Parameters = field(default_factory=Parameters)
    sources: tuple[PinnedSource, ...] = ()


def lock_text(lock: SourceLock) -> str:
    """Return the text of a lock, the same for equal locks."""
    document = {
        "version": _VERSION,
        "parameters": {"k": lock.parameters.k, "w": lock.parameters.w, "selection": lock.parameters.selection},
        "sources": [_record(one) for one in sorted(lock.sources, key=lambda one: one.declared.name)],
    }
    return _HEAD + yaml.safe_dump(document, sort_keys=False, width=1 << 20, explicit_end=True)


def _record(one: PinnedSource) -> dict[str, Any]:
    values = {**declaration(one.declared), "pinned": _pinned(one.pins)}
    return {**values, "check": xxhash.xxh3_64_hexdigest(json.dumps(values, sort_keys=True).encode())}


def declaration(source: DeclaredSource) -> dict[str, Any]:
    """Return the keys of a source of a manifest, except those with default values."""
    stated = SourceOrigin(purl=source.origin.purl) if source.origin.purl else source.origin
    paths = {key: list(patterns) for key in ("include", "exclude") if (patterns := getattr(source, key))}
    values = {
        **stated._asdict(),
        "installed": list(stated.installed),
        "version": source.version,
        "license": source.license,
        "paths": paths,
        "boilerplate": source.boilerplate,
        "with_text": source.with_text,
    }
    return {"name": source.name, **_stated(values)}


def _pinned(pins: SourcePins) -> dict[str, Any]:
    values = {
        **{key: getattr(pins, key.replace("-", "_")) for key in _PINS},
        "artifacts": [artifact._asdict() for artifact in pins.artifacts],
        "tags": [{"tag": tag, "commit": commit} for tag, commit in pins.tags],
    }
    return _stated(values)


def _stated(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("_", "-"): value for key, value in values.items() if value}


def load_lock(path: Path) -> SourceLock | None:
    """Read the lock in a file; None if there is none."""
    if not os.path.lexists(path):
        return None
    return parse_lock(read_untrusted(path, MOST_BYTES_OF_LOCK, _AGAIN), path.as_posix())


def parse_lock(written: bytes, place: str) -> SourceLock:
    """Read a lock from text."""
    refuse_large(written, place, MOST_BYTES_OF_LOCK, _AGAIN)
    remedy = "resolve the conflict (take each source whole, from either side), then run winnow-ci index sync"
    refuse_conflict(written, place, remedy)
    with mistakes_reported(place):
        root = read.root_of(written)
        if root is None or written.rstrip().rpartition(b"\n")[2] != _END.encode():
            raise read.invalid(written.rstrip().count(b"\n") + 1, f"cut off: {_END} is missing at the end", _AGAIN)
        return read.mapping(_lock, _KEYS)(root, "")


_commit = read.hexadecimal(40, 64)
_filename = read.text_like(r"(?!\.{1,2}$)[^/\\\u0000-\u001f\u007f-\u009f]{1,255}", "is not a file name", _AGAIN)
_artifact = read.complete(Artifact, {"filename": _filename, "sha256": read.sha256_digest}, "a file", _AGAIN)
_tag = read.complete(dict[str, str], {"tag": read.text, "commit": _commit}, "a tag", _AGAIN)
_PINS: dict[str, read.Reader[Any]] = {
    "version": read.text,
    "artifacts": read.each(_artifact),
    "commit": _commit,
    "tags": read.each(_tag, make=lambda tags: tuple((tag["tag"], tag["commit"]) for tag in tags)),
    "digest": read.sha256_digest,
    "license": SOURCE_KEYS["license"],
    "license-from": read.text,
}


def _pins(**values: Any) -> SourcePins:
    return SourcePins(**{key.replace("-", "_"): value for key, value in values.items()})


def _source(node: yaml.Node, _: str) -> PinnedSource:
    keys = {**SOURCE_KEYS, "pinned": read.mapping(_pins, _PINS), "check": read.hexadecimal(16)}
    values = read.mapping(dict[str, Any], keys, check_source)(node, "a source")
    pins, check = values.pop("pinned", None), values.pop("check", None)
    if pins is None or "name" not in values:
        raise read.invalid(node, "a source without its name or its pin", _AGAIN)
    one = PinnedSource(source_with(values, node), pins)
    if _record(one)["check"] != check:
        problem = f"the source {one.declared.name!r:.100} was edited or damaged"
        remedy = "restore it from git, or remove its lines and run winnow-ci index sync, which pins it again"
        raise read.invalid(node, problem, remedy)
    return one


_KEYS: dict[str, read.Reader[Any]] = {
    "version": read.number(0, 1000),
    "parameters": read.mapping(dict[str, Any], read.PARAMETERS),
    "sources": read.each(_source),
}


def _lock(
    version: int = 0, parameters: dict[str, Any] | None = None, sources: tuple[PinnedSource, ...] | None = None
) -> SourceLock:
    if version != _VERSION or parameters is None or sources is None:
        raise read.invalid(1, f"not a lock of version {_VERSION} with parameters and sources", _AGAIN)
    names: set[str] = set()
    for one in sources:
        name = one.declared.name
        if name in names:
            raise read.invalid(one.declared.line, f"a second source called {name!r}", "keep one of them")
        names.add(name)
    return SourceLock(Parameters(**parameters), sources)
