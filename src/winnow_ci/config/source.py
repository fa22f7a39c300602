"""A source in a manifest: its keys, their meaning, and how they may be combined."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import yaml

from winnow_ci.config import yaml_readers as read
from winnow_ci.config.team_files import Mistake, Mistakes
from winnow_ci.errors import UsageError
from winnow_ci.fetching.urls import GIT_HTTPS, GIT_SSH, git_address
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy.spdx import canonical_expression, known_licences
from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


# No pattern can check expressions of several licences.
_SEVERAL = r"^(?:(?:DocumentRef-[A-Za-z0-9.-]+:)?LicenseRef-[A-Za-z0-9.-]+|[!-~]+\+|[!-~]*[ (][ -~]*)$"
_EXPRESSIONS = [{"enum": known_licences}, {"pattern": _SEVERAL}]


@read.takes({"definition": "licence-expression", "type": "string", "anyOf": _EXPRESSIONS})
def _licence(value: str) -> str:
    return canonical_expression(value)


def _purls() -> str:
    from winnow_ci.fetching.packages import PURL  # noqa: PLC0415 - as below

    return f"^(?:{PURL})$"


@read.takes({"type": "string", "pattern": _purls, "definition": "purl"})
def _purl(value: str) -> str:
    # A manifest without packages saves these 20 ms.
    from winnow_ci.fetching.packages import parse_purl, repository_of  # noqa: PLC0415

    # A package URL may stand for a repository; then its mistakes belong to this line.
    repository_of(parse_purl(value))
    return value


@read.takes({"anyOf": [*map(read.matching, (rf"(?!-|{_REMOTE}){read.PRINTABLE}+", GIT_HTTPS, GIT_SSH))]})
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
    rf"(?={read.PRINTABLE}*[^\s]){read.PRINTABLE}+",
    f"is empty, or longer than {_LONGEST_NAME} characters",
    "give it a name",
    maxLength=_LONGEST_NAME,
)
_path = read.text_like(f"{read.PRINTABLE}+", "is not a path", "name a folder or an archive")
_paths = read.each(_path, least=1)
_revision = read.text_like(f"(?!-){read.PRINTABLE}+", "is not a revision", "name a tag, a branch or a commit")


@read.reads({"anyOf": [_path.schema, _paths.schema]})
def _installed(node: yaml.Node, key: str) -> tuple[str, ...]:
    return (_path(node, key),) if isinstance(node, yaml.ScalarNode) else _paths(node, key)


_ORIGIN: dict[str, read.Reader[Any]] = {
    "purl": _purl.described("A package, as a package URL.", examples=["pkg:pypi/requests@2.32.3", "pkg:npm/lodash"]),
    "git": _git.described(
        "A git repository: an https or ssh URL, or a path. It needs a revision, or all-tags.",
        examples=["https://example.org/curl.git"],
    ),
    "url": read.https_url.described("An archive at an https URL.", examples=["https://example.org/zlib-1.3.tar.gz"]),
    "path": _path.described("A folder or an archive. Relative to the folder of this file.", examples=["../shared"]),
    "installed": _installed.described(
        "Folders with installed packages; each package becomes a source. For example node_modules, a virtual "
        "environment, vendor, or a cache of Cargo, Go or Maven. Relative to the folder of this file; ~ is your home.",
        examples=["../node_modules"],
    ),
    "revision": _revision.described("The tag, branch or commit of the repository to take.", examples=["curl-8_1_0"]),
    "all-tags": read.flag.described("Take each tag of the repository as a version.", default=False),
    "sha256": read.sha256_digest.described("The sha256 of the archive at the URL."),
}
_PATHS: dict[str, read.Reader[Any]] = {
    "include": read.each(read.path_pattern, least=1).described(
        "Only these files are taken. Default: all.", examples=[["lib/**"]]
    ),
    "exclude": read.each(read.path_pattern).described("These files are left out.", examples=[["test/"]]),
}
SOURCE_KEYS: dict[str, read.Reader[Any]] = {
    **_ORIGIN,
    "name": _name.described("The name of the source in reports. Default: from its origin."),
    "version": _name.described("Its version. Default: from its origin."),
    "license": _licence.described(
        "Its licence, as an SPDX expression or unknown. Default: from its metadata and licence files.",
        examples=["MIT", "MIT OR Apache-2.0", "unknown"],
    ),
    "paths": read.mapping(dict[str, Any], _PATHS).described(
        "Which files are taken. Patterns work as in .gitignore, relative to the root of the source."
    ),
    "boilerplate": read.flag.described(
        "Code that everybody has: matches with it are no evidence, and reports never name it.", default=False
    ),
    "with-text": read.flag.described(
        "Keep its text in the index, so that reports can show it next to a copy.", default=False
    ),
}


def source_reader() -> read.Reader[DeclaredSource]:
    """Return a reader of the sources of a manifest, whose names must differ."""
    lines: dict[str, int] = {}

    def check(values: Mapping[str, Any], node: yaml.Node, key: str) -> None:
        _check_source(values, node, key)
        name = _name_of(values, node)
        if name in lines and name != INSTALLED:
            problem = f"a second source called {name!r} (the first is on line {lines[name]})"
            raise read.invalid(node, problem, "remove one of them, or give it another name: name: NAME")
        if name:
            lines[name] = read.line_of(node)

    with_keys = read.mapping(dict[str, Any], SOURCE_KEYS, read.Rule(check, SOURCE_RULE.schema))

    @read.reads({"anyOf": [_purl.schema, with_keys.schema]})
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
    """Return the source that has these values of its keys, which keep ``SOURCE_RULE``."""
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


def _check_source(values: Mapping[str, Any], node: yaml.Node, _: str) -> None:
    with Mistakes() as mistakes:
        for problem, remedy in _contradictions(values):
            mistakes.add(Mistake(read.line_of(node), problem, remedy))
        with mistakes.collected():
            _name_of(values, node)


def _with(key: str, value: read.Schema = MappingProxyType({})) -> read.Schema:
    return {"type": "object", "required": [key], "properties": {key: dict(value)}}


_ALL_TAGS = _with("all-tags", {"const": True})
_NAMED_BY_PATH = {"type": "string", "pattern": r"(?:^|[:/])(?!\.{1,2}/*$)[^:/]{1,200}/*$"}
SOURCE_RULE = read.Rule(
    _check_source,
    {
        "oneOf": [_with(kind) for kind in _KINDS],
        "dependencies": {"revision": ["git"], "sha256": ["url"]},
        "allOf": [
            {"if": _with("git"), "then": {"anyOf": [_with("revision"), _ALL_TAGS]}},
            {"if": _ALL_TAGS, "then": {**_with("git"), "not": {"anyOf": [_with("revision"), _with("version")]}}},
            {"if": _with("installed"), "then": {"not": {"anyOf": [_with(key) for key in sorted(_OF_ONE_SOURCE)]}}},
            {"if": {"not": _with("name")}, "then": {"type": "object", "properties": {"path": _NAMED_BY_PATH}}},
        ],
    },
)
"""What the values of a source must be together; JSON Schema knows less of how a source gets its name."""


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
        yield f"{of_git[0]} is for git repositories", f"remove {of_git[0]}, or write git: for {kind}:"
    if kind != "url" and "sha256" in values:
        yield "sha256 is for archives at a URL", "remove it: the lock has what others are"
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
