"""A source of a manifest: the keys that it may have, what each means, and what they must say together."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import yaml

from winnow_ci.config import source_values as values_of
from winnow_ci.config.manifest_values import DeclaredSource, SourceOrigin
from winnow_ci.config.mistakes import Mistakes
from winnow_ci.config.yaml_collections import INVALID, Rule, each, filled, mapping
from winnow_ci.config.yaml_nodes import InvalidYamlError, line_of
from winnow_ci.config.yaml_values import Reader, Schema, flag, https_url, path_pattern, sha256, takes, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_KINDS = ("purl", "git", "url", "path")
_ENDINGS = (".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar", ".zip", ".whl", ".jar", ".crate", ".dsc")

_SOURCES = "making-an-index.md#the-manifest"
_ORIGIN: dict[str, Reader[Any]] = {
    "purl": values_of.purl.described(
        "A package, as a package URL.", _SOURCES, examples=["pkg:pypi/requests@2.32.3", "pkg:npm/lodash"]
    ),
    "git": values_of.git.described(
        "A git repository: an https or ssh URL, or a path. It needs a revision, or all-tags.",
        _SOURCES,
        examples=["https://example.org/curl.git"],
    ),
    "url": https_url.described(
        "An archive at an https URL.", _SOURCES, examples=["https://example.org/zlib-1.3.tar.gz"]
    ),
    "path": values_of.path.described(
        "A folder or an archive. Relative to the folder of this file.", _SOURCES, examples=["../shared"]
    ),
    "revision": values_of.revision.described(
        "What of the repository is taken: a tag, a branch or a commit.", _SOURCES, examples=["curl-8_1_0"]
    ),
    "all-tags": flag.described("Each tag of the repository is a version.", _SOURCES, default=False),
    "sha256": sha256.described("What the archive at the URL must have.", _SOURCES),
}
_PATHS: dict[str, Reader[Any]] = {
    "include": filled(each(path_pattern)).described(
        "Only these of its files are taken. Default: all.", _SOURCES, examples=[["lib/**"]]
    ),
    "exclude": each(path_pattern).described("These of its files are left out.", _SOURCES, examples=[["test/"]]),
}
SOURCE: dict[str, Reader[Any]] = {
    **_ORIGIN,
    "name": values_of.name.described("What reports call it. Default: as its origin says.", _SOURCES),
    "version": values_of.name.described("Its version. Default: as its origin says.", _SOURCES),
    "license": values_of.licence.described(
        "Its licence, as an SPDX expression or unknown. Default: what its metadata and licence files say.",
        _SOURCES,
        examples=["MIT", "MIT OR Apache-2.0", "unknown"],
    ),
    "paths": mapping(dict[str, Any], _PATHS).described(
        "Which of its files are taken. Patterns work as in .gitignore, relative to its root.", _SOURCES
    ),
    "boilerplate": flag.described(
        "Everybody has this code: what is in it is no evidence, and reports never name it.", _SOURCES, default=False
    ),
    "with-text": flag.described(
        "The index keeps its text, for reports that show it beside a copy.", _SOURCES, default=False
    ),
}
"""The keys of a source."""


def source_reader() -> Reader[DeclaredSource]:
    """A reader of the sources of a manifest, whose names must differ."""
    lines: dict[str, int] = {}

    def check(values: Mapping[str, Any], node: yaml.Node, key: str) -> None:
        check_source(values, node, key)
        _refuse_repetition(_name_of(values, line_of(node)), line_of(node), lines)

    with_keys = mapping(dict[str, Any], SOURCE, Rule(check, RULE.schema))

    @takes({"anyOf": [values_of.purl.schema, with_keys.schema]})
    def read(node: yaml.Node, key: str) -> DeclaredSource:
        if not isinstance(node, yaml.ScalarNode):
            return source_with(with_keys(node, "a source"), node)
        values = {"purl": _bare_purl(node)}
        check(values, node, key)
        return source_with(values, node)

    return read


def _bare_purl(node: yaml.Node) -> str:
    value = text(node, "a source")
    if not value.startswith("pkg:"):
        raise InvalidYamlError(node, f"{value!r:.100} is no package URL", f"say what it is: {_near(value)}")
    return values_of.purl(node, "purl")


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
    from winnow_ci.fetching.packages import parse_purl, repository_of  # noqa: PLC0415

    found = repository_of(parse_purl(origin.purl))
    return origin._replace(git=found.url, revision=found.revision) if found else origin


# ---- the values of a source together ---------------------------------------------------------------------------


def check_source(values: Mapping[str, Any], node: yaml.Node, _: str) -> None:
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


def _with(key: str, value: Schema = MappingProxyType({})) -> Schema:
    return {"type": "object", "required": [key], "properties": {key: dict(value)}}


_ALL_TAGS = _with("all-tags", {"const": True})
_NAMED_BY_PATH = {"type": "string", "pattern": r"(?:^|[:/])(?!\.{1,2}/*$)[^:/]{1,200}/*$"}
RULE = Rule(
    check_source,
    {
        "oneOf": [_with(kind) for kind in _KINDS],
        "dependencies": {"revision": ["git"], "sha256": ["url"]},
        "allOf": [
            {"if": _with("git"), "then": {"anyOf": [_with("revision"), _ALL_TAGS]}},
            {"if": _ALL_TAGS, "then": {**_with("git"), "not": {"anyOf": [_with("revision"), _with("version")]}}},
            {"if": {"not": _with("name")}, "then": {"type": "object", "properties": {"path": _NAMED_BY_PATH}}},
        ],
    },
)
"""What the values of a source must be together; JSON Schema knows less of how a source gets its name."""


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
    if not found or len(found) > values_of.LONGEST_NAME or not found.isprintable():
        raise InvalidYamlError(line, "a source without a name", "say what the code is called: name: NAME")
    return found


def _package(purl: str) -> str:
    from winnow_ci.fetching.packages import parse_purl  # noqa: PLC0415

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
