"""The manifest of an index (``.winnow/sources.yml``): read, checked, and turned into values.

    index: index.db
    sources:
      - pkg:pypi/requests@2.32.3
      - purl: pkg:npm/lodash@4.17.21
        license: MIT
      - git: https://example.org/curl.git
        revision: curl-8_1_0
      - path: ../shared

What it names is fetched and read, so an address that only an attacker would write is an error already here.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import yaml

from winnow_ci.config.manifest_values import DeclaredSource, Manifest, SourceOrigin
from winnow_ci.config.untrusted_file import read_untrusted, refuse_conflict
from winnow_ci.config.yaml_nodes import TAG, InvalidYamlError, line_of, root_of
from winnow_ci.config.yaml_values import (
    PARAMETERS,
    Reader,
    each,
    filled,
    flag,
    https_url,
    mapping,
    path_pattern,
    sha256,
    text,
)
from winnow_ci.errors import ConfigError, FetchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES = 1 << 20
INDEX = "index.db"
_REMEDY = "name a readable file with --manifest, or make one: winnow-ci index add PURL|URL|PATH"
_KINDS = ("purl", "git", "url", "path")
_LONGEST_NAME = 200
_ENDINGS = (".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar", ".zip", ".whl", ".jar", ".crate", ".dsc")
# Schemes, what git calls helpers (``ext::``), and the short form of ssh.
_NO_PATH = re.compile(r"[A-Za-z0-9+.-]+::?//|[A-Za-z0-9+.-]*::|[^/]+@[^/]*:")


def load_manifest(path: Path) -> Manifest:
    """The manifest in a file.

    Raises:
        ConfigError: the file cannot be read, or its content is invalid.
    """
    return parse_manifest(read_untrusted(path, MAX_BYTES, _REMEDY), path)


def parse_manifest(written: bytes, path: Path) -> Manifest:
    """The manifest in the text of a file.

    Args:
        written: the content of the file.
        path: of the file; what it names is relative to its folder.

    Raises:
        ConfigError: the text is invalid.
    """
    if len(written) > MAX_BYTES:
        raise ConfigError(f"{path}: larger than {MAX_BYTES >> 10} KiB", "split it into several manifests and indexes")
    remedy = "resolve it like any conflict of text (most often: keep both sides), then run winnow-ci index sync"
    refuse_conflict(written, str(path), remedy)
    try:
        root = root_of(written)
        values = {} if root is None else mapping(dict[str, Any], _KEYS)(root, "")
        sources = values.pop("sources", ())
        _check_names(sources)
    except InvalidYamlError as error:
        raise ConfigError(f"{path}:{error.line}: {error.problem}", error.remedy) from error
    return Manifest(path, path.parent / values.pop("index", INDEX), values, sources)


# ---- values of single keys -------------------------------------------------------------------------------------


def _index(node: yaml.Node, key: str) -> Path:
    # It is written to, so it must stay where its repository is.
    value = Path(text(node, key))
    if value.suffix != ".db" or value.is_absolute() or {"..", ".git"} & set(value.parts):
        problem = f"{key}: {str(value)!r:.60} is no file *.db below the folder of this file"
        raise InvalidYamlError(node, problem, f"write {key}: {INDEX}")
    return value


def _licence(node: yaml.Node, key: str) -> str:
    """An SPDX expression, or ``unknown``, in its canonical form."""
    # 35 ms that a manifest without licences need not pay.
    from winnow_ci.policy.spdx import canonical_expression  # noqa: PLC0415

    value = text(node, key)
    try:
        return canonical_expression(value)
    except UsageError as error:
        raise InvalidYamlError(node, f"{key}: {error.problem}", error.remedy) from error


def _name(node: yaml.Node, key: str) -> str:
    """The name of a source."""
    value = text(node, key)
    if not value.strip() or len(value) > _LONGEST_NAME:
        problem = f"{key} is empty" if not value.strip() else f"{key} is longer than {_LONGEST_NAME} characters"
        raise InvalidYamlError(node, problem, "say what the code is called")
    return value


def _purl(node: yaml.Node, key: str) -> str:
    # 20 ms that a manifest without packages need not pay.
    from winnow_ci.fetching.purl import parse_purl  # noqa: PLC0415

    value = text(node, key)
    try:
        parse_purl(value)
    except ConfigError as error:
        raise InvalidYamlError(node, f"{key}: {error.problem}", error.remedy) from error
    return value


def _git(node: yaml.Node, key: str) -> str:
    from winnow_ci.fetching.git_address import address  # noqa: PLC0415 - few need it

    value = text(node, key)
    try:
        if is_remote(value):
            address(value)
    except FetchError as error:
        raise InvalidYamlError(node, f"{key}: {error.problem}", error.remedy) from error
    if not value or value.startswith("-"):
        remedy = "name an https or ssh URL, or the path of a repository"
        raise InvalidYamlError(node, f"{key}: {value!r:.100} is no repository", remedy)
    return value


def is_remote(repository: str) -> bool:
    """Whether git takes the name of a repository for a URL, and not for a path."""
    return _NO_PATH.match(repository) is not None


def _path(node: yaml.Node, key: str) -> str:
    value = text(node, key)
    if not value:
        raise InvalidYamlError(node, f"{key} is empty", "name a folder or an archive")
    return value


def _revision(node: yaml.Node, key: str) -> str:
    value = text(node, key)
    if not value or value.startswith("-"):
        raise InvalidYamlError(node, f"{key}: {value!r:.100} is no revision", "name a tag, a branch or a commit")
    return value


# ---- a source --------------------------------------------------------------------------------------------------

_ORIGIN: dict[str, Reader[Any]] = {
    "purl": _purl,
    "git": _git,
    "url": https_url,
    "path": _path,
    "revision": _revision,
    "all-tags": flag,
    "sha256": sha256,
}
SOURCE: dict[str, Reader[Any]] = {
    **_ORIGIN,
    "name": _name,
    "version": _name,
    "license": _licence,
    "paths": mapping(
        dict[str, Any],
        {"include": filled(each(path_pattern)), "exclude": each(path_pattern)},
    ),
    "boilerplate": flag,
    "with-text": flag,
}
"""The keys of a source."""


def read_source(node: yaml.Node, _: str) -> DeclaredSource:
    """The source of a manifest that a node declares."""
    if isinstance(node, yaml.ScalarNode):
        value = text(node, "a source")
        if not value.startswith("pkg:"):
            raise InvalidYamlError(node, f"{value!r:.100} is no package URL", f"say what it is: {_near(value)}")
        return source_with({"purl": _purl(node, "purl")}, node)
    return source_with(mapping(dict[str, Any], SOURCE)(node, "a source"), node)


def _near(value: str) -> str:
    kind = "url" if value.startswith("https://") else "path"
    return f"{kind}: {value:.100}"


def source_with(values: Mapping[str, Any], node: yaml.Node) -> DeclaredSource:
    """The source that has these values of its keys.

    Raises:
        InvalidYamlError: the values contradict each other.
    """
    line = line_of(node)
    kinds = [kind for kind in _KINDS if kind in values]
    if len(kinds) != 1:
        remedy = f"say where it comes from, with one of {', '.join(_KINDS)}"
        raise InvalidYamlError(line, f"a source with {' and '.join(kinds) or 'none of these'}", remedy)
    _check_together(values, kinds[0], line)
    origin = SourceOrigin(**{key.replace("-", "_"): values[key] for key in _ORIGIN if key in values})
    paths = values.get("paths", {})
    return DeclaredSource(
        values.get("name") or _named_after(origin, line),
        origin,
        values.get("version"),
        values.get("license"),
        paths.get("include"),
        paths.get("exclude", ()),
        boilerplate=values.get("boilerplate", False),
        with_text=values.get("with-text", False),
        line=line,
    )


def _check_together(values: Mapping[str, Any], kind: str, line: int) -> None:
    of_git = [key for key in ("revision", "all-tags") if values.get(key)]
    if kind == "git" and len(of_git) != 1:
        raise InvalidYamlError(line, "a git repository needs a revision, or all-tags: true", "write one of the two")
    if kind != "git" and of_git:
        raise InvalidYamlError(
            line, f"{of_git[0]} is for git repositories", f"remove {of_git[0]}, or write git: for {kind}:"
        )
    if kind != "url" and "sha256" in values:
        raise InvalidYamlError(line, "sha256 is for archives at a URL", "remove it: the lock has what others are")
    if "version" in values and values.get("all-tags"):
        raise InvalidYamlError(line, "with all-tags each version is called after its tag", "remove version")


def _named_after(origin: SourceOrigin, line: int) -> str:
    found = _package(origin.purl) if origin.purl else _last_part(origin)
    if not found or len(found) > _LONGEST_NAME or not found.isprintable():
        raise InvalidYamlError(line, "a source without a name", "say what the code is called: name: NAME")
    return found


def _package(purl: str) -> str:
    from winnow_ci.fetching.purl import parse_purl  # noqa: PLC0415

    package = parse_purl(purl)
    # In other types the namespace is that of a vendor or a distribution, and not part of the name.
    named = package.type in {"npm", "golang", "composer", "github", "maven"} and package.namespace
    return f"{package.namespace}/{package.name}" if named else package.name


def _last_part(origin: SourceOrigin) -> str:
    place = unquote(urlsplit(origin.url).path) if origin.url else origin.git or origin.path or ""
    last = PurePosixPath(re.split(r"[:/]", place.rstrip("/"))[-1]).name
    if origin.git:
        return last.removesuffix(".git")
    ending = next((ending for ending in _ENDINGS if last.lower().endswith(ending)), "")
    return "" if last in {".", ".."} else last[: len(last) - len(ending)]


def _check_names(sources: tuple[DeclaredSource, ...]) -> None:
    lines: dict[str, int] = {}
    for one in sources:
        if first := lines.get(one.name):
            problem = f"a second source called {one.name!r} (the first is on line {first})"
            raise InvalidYamlError(one.line, problem, "remove one of them, or give it another name: name: NAME")
        lines[one.name] = one.line


def _sources(node: yaml.Node, key: str) -> tuple[DeclaredSource, ...]:
    # The key alone remains when somebody removes the last source.
    return () if node.tag == f"{TAG}null" else each(read_source)(node, key)


_KEYS: dict[str, Reader[Any]] = {
    "index": _index,
    **PARAMETERS,
    "sources": _sources,
}
