"""A source of a manifest: the keys that it may have, and what they must say together."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import yaml

from winnow_ci.config.manifest_values import DeclaredSource, SourceOrigin
from winnow_ci.config.mistakes import Mistakes
from winnow_ci.config.yaml_nodes import InvalidYamlError, line_of
from winnow_ci.config.yaml_values import (
    INVALID,
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
    from collections.abc import Iterator, Mapping, Sequence

_KINDS = ("purl", "git", "url", "path")
_LONGEST_NAME = 200
_ENDINGS = (".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar", ".zip", ".whl", ".jar", ".crate", ".dsc")
# Schemes, what git calls helpers (``ext::``), and the short form of ssh.
_NO_PATH = re.compile(r"[A-Za-z0-9+.-]+::?//|[A-Za-z0-9+.-]*::|[^/]+@[^/]*:")


# ---- values of single keys -------------------------------------------------------------------------------------


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
    from winnow_ci.fetching.purl import parse_purl, repository_of  # noqa: PLC0415

    value = text(node, key)
    try:
        # What is a repository is taken to it here, so its mistakes belong to this line.
        repository_of(parse_purl(value))
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


def source_reader() -> Reader[DeclaredSource]:
    """A reader of the sources of a manifest, whose names must differ."""
    lines: dict[str, int] = {}

    def check(values: Mapping[str, Any], node: yaml.Node) -> None:
        check_source(values, node)
        _refuse_repetition(_name_of(values, line_of(node)), line_of(node), lines)

    def read(node: yaml.Node, _: str) -> DeclaredSource:
        if isinstance(node, yaml.ScalarNode):
            values = {"purl": _bare_purl(node)}
            check(values, node)
            return source_with(values, node)
        return source_with(mapping(dict[str, Any], SOURCE, check)(node, "a source"), node)

    return read


def _bare_purl(node: yaml.Node) -> str:
    value = text(node, "a source")
    if not value.startswith("pkg:"):
        raise InvalidYamlError(node, f"{value!r:.100} is no package URL", f"say what it is: {_near(value)}")
    return _purl(node, "purl")


def _near(value: str) -> str:
    kind = "url" if value.startswith("https://") else "path"
    return f"{kind}: {value:.100}"


def source_with(values: Mapping[str, Any], node: yaml.Node) -> DeclaredSource:
    """The source that has these values of its keys, which ``check_source`` has seen."""
    origin = _at_repository(SourceOrigin(**{key.replace("-", "_"): values[key] for key in _ORIGIN if key in values}))
    paths = values.get("paths", {})
    return DeclaredSource(
        _name_of(values, line_of(node)),
        origin,
        values.get("version"),
        values.get("license"),
        paths.get("include"),
        paths.get("exclude", ()),
        boilerplate=values.get("boilerplate", False),
        with_text=values.get("with-text", False),
        line=line_of(node),
    )


def _at_repository(origin: SourceOrigin) -> SourceOrigin:
    """The origin with the repository that its package URL stands for, if it stands for one."""
    if origin.purl is None or origin.purl is INVALID:
        return origin
    from winnow_ci.fetching.purl import parse_purl, repository_of  # noqa: PLC0415

    found = repository_of(parse_purl(origin.purl))
    return origin._replace(git=found.url, revision=found.revision) if found else origin


# ---- the values of a source together ---------------------------------------------------------------------------


def check_source(values: Mapping[str, Any], node: yaml.Node) -> None:
    """Refuse values that contradict each other, or do not say where a source comes from and what it is called.

    Raises:
        InvalidContentError: they do.
    """
    line = line_of(node)
    kinds = [kind for kind in _KINDS if kind in values]
    if len(kinds) != 1:
        _refuse_kinds(kinds, values, line)
        return
    mistakes = Mistakes()
    for contradiction in _contradictions(values, kinds[0]):
        with mistakes.collected():
            raise InvalidYamlError(line, *contradiction)
    with mistakes.collected():
        _name_of(values, line)
    mistakes.refuse()


def _refuse_kinds(kinds: Sequence[str], values: Mapping[str, Any], line: int) -> None:
    if kinds or not _has_unknown_key(values):
        remedy = f"say where it comes from, with one of {', '.join(_KINDS)}"
        raise InvalidYamlError(line, f"a source with {' and '.join(kinds) or 'none of these'}", remedy)


def _has_unknown_key(values: Mapping[str, Any]) -> bool:
    return any(value is INVALID and key not in SOURCE for key, value in values.items())


def _contradictions(values: Mapping[str, Any], kind: str) -> Iterator[tuple[str, str]]:
    """Problem and remedy of each."""
    of_git = [key for key in ("revision", "all-tags") if values.get(key)]
    if kind == "git" and len(of_git) != 1 and (of_git or not _has_unknown_key(values)):
        yield "a git repository needs a revision, or all-tags: true", "write one of the two"
    if kind != "git" and of_git:
        yield f"{of_git[0]} is for git repositories", f"remove {of_git[0]}, or write git: for {kind}:"
    if kind != "url" and "sha256" in values:
        yield "sha256 is for archives at a URL", "remove it: the lock has what others are"
    if "version" in values and values.get("all-tags"):
        yield "with all-tags each version is called after its tag", "remove version"


def _refuse_repetition(name: str, line: int, lines: dict[str, int]) -> None:
    if name in lines:
        problem = f"a second source called {name!r} (the first is on line {lines[name]})"
        raise InvalidYamlError(line, problem, "remove one of them, or give it another name: name: NAME")
    if name:
        lines[name] = line


def _name_of(values: Mapping[str, Any], line: int) -> str:
    """The name of a source, as it is given or as its origin says; empty if that is ``INVALID``."""
    if "name" in values:
        return "" if values["name"] is INVALID else str(values["name"])
    origin = SourceOrigin(**{kind: values[kind] for kind in _KINDS if kind in values})
    if INVALID in origin or not any(origin):
        return ""
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
