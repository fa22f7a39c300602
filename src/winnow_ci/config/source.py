"""A source in a manifest: its keys, and how they may be combined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from winnow_ci.config import yaml_readers as read
from winnow_ci.config.team_files import Mistake, Mistakes
from winnow_ci.errors import UsageError
from winnow_ci.fetching.urls import git_address
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy.spdx import canonical_expression
from winnow_ci.start_up import field, record

_LONGEST_NAME = 200
_KINDS = ("purl", "git", "url", "path", "installed")
_OF_ONE_SOURCE = {"name", "version", "license", "paths"}
INSTALLED = "installed packages"
"""The name of all installed packages together; each has a name of its own in an index."""
_ENDINGS = (".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar", ".zip", ".whl", ".jar", ".crate", ".dsc")
# Schemes, what git calls helpers (``ext::``), and the short form of ssh.
_REMOTE = r"(?:[A-Za-z0-9+.-]+::?//|[A-Za-z0-9+.-]*::|[^/]+@[^/]*:)"


class SourceOrigin(NamedTuple):
    """Where a source comes from: one of ``purl``, ``git``, ``url``, ``path`` and ``installed``, with its details.

    ``git`` is also the repository that a package URL stands for. Each package in the ``installed`` folders is a source.
    """

    purl: str | None = None
    git: str | None = None
    url: str | None = None
    path: str | None = None
    installed: tuple[str, ...] = ()
    revision: str | None = None
    all_tags: bool = False
    sha256: str | None = None

    def __str__(self) -> str:
        return self.purl or self.git or self.url or self.path or ", ".join(self.installed)

    @property
    def is_several(self) -> bool:
        """Whether an index has several sources of it."""
        return self.all_tags or bool(self.installed)

    @property
    def is_local(self) -> bool:
        """Whether its files are in a folder of this machine, where they may change at any time."""
        return self.path is not None or bool(self.installed)


@record(frozen=True, slots=True)
class DeclaredSource:
    """A source as a manifest declares it on a line, by the keys below; None for what its origin or files say."""

    name: str
    origin: SourceOrigin
    version: str | None = None
    license: str | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    boilerplate: bool = False
    with_text: bool = False
    line: int = field(default=0, compare=False)


_licence = read.takes(canonical_expression)


@read.takes
def _purl(value: str) -> str:
    # A manifest without packages saves these 20 ms.
    from winnow_ci.fetching.packages import parse_purl, repository_of  # noqa: PLC0415

    # A package URL may stand for a repository; then its mistakes belong to this line.
    repository_of(parse_purl(value))
    return value


@read.takes
def _git(value: str) -> str:
    if is_remote(value):
        git_address(value)
    if not value or value.startswith("-"):
        raise UsageError(f"{value!r:.100} is not a repository", "name an https or ssh URL, or the path of a repository")
    return value


def is_remote(repository: str) -> bool:
    """Return whether git takes the name of a repository for a URL, and not for a path."""
    return re.match(_REMOTE, repository) is not None


_name = read.text_like(
    rf"(?={read.PRINTABLE}*[^\s]){read.PRINTABLE}{{1,{_LONGEST_NAME}}}",
    f"is empty, or longer than {_LONGEST_NAME} characters",
    "give it a name",
)
_path = read.text_like(f"{read.PRINTABLE}+", "is not a path", "name a folder or an archive")
_paths = read.each(_path, least=1)
_revision = read.text_like(f"(?!-){read.PRINTABLE}+", "is not a revision", "name a tag, a branch or a commit")


def _installed(node: yaml.Node, key: str) -> tuple[str, ...]:
    return (_path(node, key),) if isinstance(node, yaml.ScalarNode) else _paths(node, key)


_ORIGIN: dict[str, read.Reader[Any]] = {
    "purl": _purl,
    "git": _git,
    "url": read.https_url,
    "path": _path,
    "installed": _installed,
    "revision": _revision,
    "all-tags": read.flag,
    "sha256": read.sha256_digest,
}
_PATHS = {"include": read.each(read.path_pattern, least=1), "exclude": read.each(read.path_pattern)}
SOURCE_KEYS: dict[str, read.Reader[Any]] = {
    **_ORIGIN,
    "name": _name,
    "version": _name,
    "license": _licence,
    "paths": read.mapping(dict[str, Any], _PATHS),
    "boilerplate": read.flag,
    "with-text": read.flag,
}


def source_reader() -> read.Reader[DeclaredSource]:
    """Return a reader of the sources of a manifest, whose names must differ."""
    lines: dict[str, int] = {}

    def check(values: Mapping[str, Any], node: yaml.Node, key: str) -> None:
        check_source(values, node, key)
        name = _name_of(values, node)
        if name in lines and name != INSTALLED:
            problem = f"a second source called {name!r} (the first is on line {lines[name]})"
            raise read.invalid(node, problem, "remove one of them, or give it another name: name: NAME")
        if name:
            lines[name] = read.line_of(node)

    with_keys = read.mapping(dict[str, Any], SOURCE_KEYS, check)

    def source(node: yaml.Node, key: str) -> DeclaredSource:
        if not isinstance(node, yaml.ScalarNode):
            return source_with(with_keys(node, "a source"), node)
        values = {"purl": _bare_purl(node)}
        check(values, node, key)
        return source_with(values, node)

    return source


def _bare_purl(node: yaml.Node) -> str:
    value = read.text(node, "a source")
    if not value.startswith("pkg:"):
        near = f"{'url' if value.startswith('https://') else 'path'}: {value:.100}"
        raise read.invalid(node, f"{value!r:.100} is not a package URL", f"if you mean a package or URL, write: {near}")
    return _purl(node, "purl")


def source_with(values: Mapping[str, Any], node: yaml.Node) -> DeclaredSource:
    """Return the source that has these values of its keys, which ``check_source`` takes."""
    origin = _at_repository(SourceOrigin(**{key.replace("-", "_"): values[key] for key in _ORIGIN if key in values}))
    own = ("version", "license", "boilerplate", "with-text")
    given = {key.replace("-", "_"): values[key] for key in own if key in values}
    return DeclaredSource(_name_of(values, node), origin, line=read.line_of(node), **given, **values.get("paths", {}))


def _at_repository(origin: SourceOrigin) -> SourceOrigin:
    if origin.purl is None:
        return origin
    from winnow_ci.fetching.packages import parse_purl, repository_of  # noqa: PLC0415

    found = repository_of(parse_purl(origin.purl))
    return origin._replace(git=found.url, revision=found.revision) if found else origin


def check_source(values: Mapping[str, Any], node: yaml.Node, _: str) -> None:
    """Check the values of the keys of a source together."""
    with Mistakes() as mistakes:
        for problem, remedy in _contradictions(values):
            mistakes.add(Mistake(read.line_of(node), problem, remedy))
        with mistakes.collected():
            _name_of(values, node)


def _contradictions(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    kinds = [kind for kind in _KINDS if kind in values]
    # A key that seems to be missing may be misspelled.
    is_all_known = all(value is not read.INVALID or key in SOURCE_KEYS for key, value in values.items())
    if len(kinds) != 1:
        if kinds or is_all_known:
            remedy = f"name its origin with one of {', '.join(_KINDS)}"
            yield f"a source with {' and '.join(kinds) or 'none of these'}", remedy
        return
    (kind,) = kinds
    of_git = [key for key in ("revision", "all-tags") if values.get(key)]
    if kind == "git" and len(of_git) != 1 and (of_git or is_all_known):
        yield "a git repository needs a revision, or all-tags: true", "write one of them"
    if kind != "git" and of_git:
        yield f"{of_git[0]} is for git repositories", f"remove {of_git[0]}, or write git: instead of {kind}:"
    if kind != "url" and "sha256" in values:
        yield "sha256 is for archives at a URL", "remove it: the lock pins the content of other sources"
    if "installed" in values:
        for key in sorted(_OF_ONE_SOURCE & values.keys()):
            # A lock has the name.
            if (key, values[key]) != ("name", INSTALLED):
                yield f"{key} is for one source, and each installed package is a source", f"remove {key}"
    if "version" in values and values.get("all-tags"):
        yield "with all-tags, each version gets the name of its tag", "remove version"


def _name_of(values: Mapping[str, Any], node: yaml.Node) -> str:
    """The name of a source, given or from its only origin; empty if that is ``INVALID``."""
    if "name" in values:
        return "" if values["name"] is read.INVALID else str(values["name"])
    origins = {kind: values[kind] for kind in _KINDS if kind in values}
    if read.INVALID in origins.values() or len(origins) != 1:
        return ""
    found = _package(origins["purl"]) if "purl" in origins else _last_part(SourceOrigin(**origins))
    if not found or len(found) > _LONGEST_NAME or not found.isprintable():
        raise read.invalid(node, "a source without a name", "give it a name: name: NAME")
    return found


def _package(purl: str) -> str:
    from winnow_ci.fetching.packages import parse_purl  # noqa: PLC0415

    package = parse_purl(purl)
    # In other types the namespace is a vendor or distribution, not part of the name.
    named = package.type in {"npm", "golang", "composer", "github", "maven"} and package.namespace
    return f"{package.namespace}/{package.name}" if named else package.name


def _last_part(origin: SourceOrigin) -> str:
    if origin.installed:
        return INSTALLED
    place = unquote(urlsplit(origin.url).path) if origin.url else origin.git or origin.path or ""
    last = PurePosixPath(re.split(r"[:/]", place.rstrip("/"))[-1]).name
    if origin.git:
        return last.removesuffix(".git")
    ending = next((ending for ending in _ENDINGS if last.lower().endswith(ending)), "")
    return "" if last in {".", ".."} else last[: len(last) - len(ending)]
