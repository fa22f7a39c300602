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
import re
from typing import TYPE_CHECKING, Any

import xxhash
import yaml

from winnow_ci.config.manifest_source import RULE, SOURCE, source_with
from winnow_ci.config.manifest_values import PinnedSource, SourceLock, SourceOrigin, SourcePins
from winnow_ci.config.mistakes import InvalidContentError, config_error
from winnow_ci.config.untrusted_file import read_untrusted, refuse_conflict
from winnow_ci.config.yaml_collections import each, mapping, requiring
from winnow_ci.config.yaml_nodes import InvalidYamlError, root_of
from winnow_ci.config.yaml_values import PARAMETERS, Reader, hexadecimal, matching, number, sha256, takes, text
from winnow_ci.errors import ConfigError
from winnow_ci.fetching.packages import Artifact
from winnow_ci.model import Parameters

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from winnow_ci.config.manifest_values import DeclaredSource

VERSION = 1
MAX_BYTES = 4 << 20
_END = "..."
_HEAD = (
    "# What the sources of the manifest are, exactly. Written by winnow-ci index sync: check it in, do not edit it.\n"
)
_AGAIN = "take it back from git, or delete it to pin all sources anew: winnow-ci index sync"
_COMMIT = hexadecimal(40, 64)
_FILENAME = r"[^/\\\u0000-\u001f\u007f-\u009f]{1,255}"


def load_lock(path: Path) -> SourceLock | None:
    """The lock in a file; None if there is none.

    Raises:
        ConfigError: the file cannot be read, or its content is invalid.
    """
    if not (path.exists() or path.is_symlink()):
        return None
    return parse_lock(read_untrusted(path, MAX_BYTES, _AGAIN), str(path))


def parse_lock(written: bytes, place: str) -> SourceLock:
    """The lock in the text of a file.

    Args:
        written: the content of the file.
        place: what messages call the file.

    Raises:
        ConfigError: the text is invalid.
    """
    if len(written) > MAX_BYTES:
        raise ConfigError(f"{place}: larger than {MAX_BYTES >> 20} MiB", _AGAIN)
    remedy = "resolve it like any conflict of text (whole sources, of either side), then run winnow-ci index sync"
    refuse_conflict(written, place, remedy)
    try:
        return mapping(_lock, _KEYS)(_whole_root(written), "")
    except InvalidContentError as error:
        raise config_error(place, error.mistakes) from error


def _whole_root(written: bytes) -> yaml.Node:
    root = root_of(written)
    if root is None or written.rstrip().rpartition(b"\n")[2] != _END.encode():
        raise InvalidYamlError(written.rstrip().count(b"\n") + 1, f"cut off: it does not end with {_END}", _AGAIN)
    return root


def lock_text(lock: SourceLock) -> str:
    """The text of a lock, the same for equal locks."""
    document = {
        "version": VERSION,
        "parameters": {"k": lock.parameters.k, "w": lock.parameters.w, "selection": lock.parameters.selection},
        "sources": [_record(one) for one in sorted(lock.sources, key=lambda one: one.declared.name)],
    }
    return _HEAD + yaml.safe_dump(document, sort_keys=False, width=1 << 20, explicit_end=True)


# ---- writing ---------------------------------------------------------------------------------------------------


def _record(one: PinnedSource) -> dict[str, Any]:
    values = {**declaration(one.declared), "pinned": _pinned(one.pins)}
    return {**values, "check": _check(values)}


def declaration(source: DeclaredSource) -> dict[str, Any]:
    """The keys of a source of a manifest, except those with default values."""
    stated = SourceOrigin(purl=source.origin.purl) if source.origin.purl else source.origin
    origin = {key.replace("_", "-"): value for key, value in stated._asdict().items() if value}
    paths = {
        **({} if source.include is None else {"include": list(source.include)}),
        **({"exclude": list(source.exclude)} if source.exclude else {}),
    }
    others = {
        "version": source.version,
        "license": source.license,
        "paths": paths,
        "boilerplate": source.boilerplate,
        "with-text": source.with_text,
    }
    return {"name": source.name, **origin, **{key: value for key, value in others.items() if value}}


def _pinned(pins: SourcePins) -> dict[str, Any]:
    values = {
        "version": pins.version,
        "artifacts": [artifact._asdict() for artifact in pins.artifacts],
        "commit": pins.commit,
        "tags": [{"tag": tag, "commit": commit} for tag, commit in pins.tags],
        "digest": pins.digest,
        "license": pins.license,
        "license-from": pins.license_from,
    }
    return {key: value for key, value in values.items() if value}


def _check(values: Mapping[str, Any]) -> str:
    return xxhash.xxh3_64_hexdigest(json.dumps(values, sort_keys=True).encode())


# ---- reading ---------------------------------------------------------------------------------------------------


@takes(matching(rf"(?!\.{{1,2}}$){_FILENAME}"))
def _filename(node: yaml.Node, key: str) -> str:
    value = text(node, key)
    if not re.fullmatch(_FILENAME, value) or value in {".", ".."}:
        raise InvalidYamlError(node, f"{key}: {value!r:.100} is no name of a file", _AGAIN)
    return value


_ARTIFACT = mapping(
    Artifact, {"filename": _filename, "sha256": sha256}, requiring("a file", _AGAIN, "filename", "sha256")
)
_TAG = mapping(dict[str, str], {"tag": text, "commit": _COMMIT}, requiring("a tag", _AGAIN, "tag", "commit"))
_PINS: dict[str, Reader[Any]] = {
    "version": text,
    "artifacts": each(_ARTIFACT),
    "commit": _COMMIT,
    "tags": each(_TAG),
    "digest": sha256,
    "license": SOURCE["license"],
    "license-from": text,
}


@takes({"type": "object"})
def _source(node: yaml.Node, _: str) -> PinnedSource:
    keys = {**SOURCE, "pinned": mapping(_pins, _PINS), "check": hexadecimal(16)}
    values = mapping(dict[str, Any], keys, RULE)(node, "a source")
    pins, check = values.pop("pinned", None), values.pop("check", None)
    if pins is None or "name" not in values:
        raise InvalidYamlError(node, "a source without its name, or what it was pinned to", _AGAIN)
    one = PinnedSource(source_with(values, node), pins)
    if _record(one)["check"] != check:
        problem = f"the source {one.declared.name!r:.100} is not as winnow-ci wrote it"
        remedy = "take it back from git, or remove its lines to pin it anew: winnow-ci index sync"
        raise InvalidYamlError(node, problem, remedy)
    return one


def _pins(
    artifacts: tuple[Artifact, ...] = (), tags: tuple[dict[str, str], ...] = (), **values: str | None
) -> SourcePins:
    values = {key.replace("-", "_"): value for key, value in values.items()}
    return SourcePins(artifacts=artifacts, tags=tuple((tag["tag"], tag["commit"]) for tag in tags), **values)


def _lock(
    version: int = 0, parameters: dict[str, Any] | None = None, sources: tuple[PinnedSource, ...] | None = None
) -> SourceLock:
    if version != VERSION or parameters is None or sources is None:
        raise InvalidYamlError(1, f"no lock of version {VERSION} with parameters and sources", _AGAIN)
    names: set[str] = set()
    for one in sources:
        if one.declared.name in names:
            raise InvalidYamlError(
                one.declared.line, f"a second source called {one.declared.name!r}", "keep one of the two"
            )
        names.add(one.declared.name)
    return SourceLock(Parameters(**parameters), sources)


_KEYS: dict[str, Reader[Any]] = {
    "version": number(0, 1000),
    "parameters": mapping(dict[str, Any], PARAMETERS),
    "sources": each(_source),
}
