"""The keys of ``.winnow.yml`` and what each may hold; from YAML nodes to settings.

The schema is at the end; before it are the kinds of values that only this file has (others: ``yaml_values``).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

import yaml

from winnow_ci.config.index_reference import IndexReference, PinnedFile, index_reference
from winnow_ci.config.settings import BUILTINS, ReportThresholds, Settings, Snippet
from winnow_ci.config.yaml_nodes import TAG, InvalidYamlError
from winnow_ci.config.yaml_values import (
    PARAMETERS,
    Reader,
    accepted,
    each,
    filled,
    https_url,
    kind,
    mapping,
    number,
    one_of,
    path_pattern,
    sha256,
    text,
)
from winnow_ci.errors import UsageError
from winnow_ci.languages import resolve
from winnow_ci.policy import LicensePolicy, PathPatterns, SourcePatterns
from winnow_ci.policy.known_licences import remedy_for

if TYPE_CHECKING:
    from collections.abc import Mapping

_BUILTIN = "builtin:"
_PINNED = "write a path, or https://HOST/FILE#sha256=DIGITS"


# ---- values of single keys -------------------------------------------------------------------------------------


def _licence_pattern(node: yaml.Node, key: str) -> str:
    pattern = accepted(LicensePolicy, node, key)
    if remedy := remedy_for(pattern):
        raise InvalidYamlError(node, f"{key}: SPDX knows no licence {pattern!r:.60}", remedy)
    return pattern


def _boilerplate(node: yaml.Node, key: str) -> str | Snippet:
    if isinstance(node, yaml.MappingNode):
        return mapping(Snippet, {"language": _language, "text": _code}, partial(_check_snippet, key))(node, key)
    value = path_pattern(node, key)
    if value.startswith(_BUILTIN) and value.removeprefix(_BUILTIN) not in BUILTINS:
        known = ", ".join(f"{_BUILTIN}{name}" for name in BUILTINS)
        raise InvalidYamlError(node, f"{key}: there is no {value!r:.60}", f"there are {known}")
    return value


def _check_snippet(key: str, values: Mapping[str, object], node: yaml.Node) -> None:
    if len(values) < 2:
        raise InvalidYamlError(node, f"{key}: a snippet needs its language and its text", "add the other one")


def _code(node: yaml.Node, key: str) -> str:
    # Unlike other text, a block of code may have line feeds and tabs.
    if not isinstance(node, yaml.ScalarNode) or node.tag != f"{TAG}str" or not node.value.strip():
        raise InvalidYamlError(node, f"{key} must be text, and not empty", f"write {key}: | and the code below it")
    return str(node.value)


def _parted(entries: Reader[tuple[str | Snippet, ...]]) -> Reader[Mapping[str, object]]:
    def read(node: yaml.Node, key: str) -> Mapping[str, object]:
        found = entries(node, key)
        names = [entry for entry in found if isinstance(entry, str)]
        return {
            "boilerplate": PathPatterns(tuple(name for name in names if not name.startswith(_BUILTIN))),
            "snippets": tuple(entry for entry in found if isinstance(entry, Snippet)),
            "builtins": tuple(name.removeprefix(_BUILTIN) for name in names if name.startswith(_BUILTIN)),
        }

    return read


def _index(node: yaml.Node, key: str) -> IndexReference:
    if isinstance(node, yaml.MappingNode):
        raise InvalidYamlError(node, f"{key}: an entry must be text, not {kind(node)}", _PINNED)
    try:
        return index_reference(text(node, key))
    except UsageError as error:
        raise InvalidYamlError(node, f"{key}: {error.problem}", error.remedy) from error


def _shared_index(node: yaml.Node, key: str) -> IndexReference:
    found = _index(node, key)
    if isinstance(found, Path):
        problem = f"{key}: a path means nothing here, since other repositories read this file"
        raise InvalidYamlError(node, problem, "name the index by a URI")
    return found


def _extends(node: yaml.Node, key: str) -> PinnedFile:
    return mapping(PinnedFile, {"url": https_url, "sha256": sha256}, partial(_check_pinned, key))(node, key)


def _check_pinned(key: str, values: Mapping[str, object], node: yaml.Node) -> None:
    missing = " and its ".join(name for name in PinnedFile._fields if name not in values)
    if missing and len(values) < len(PinnedFile._fields):
        remedy = "write {url: https://…, sha256: …}; sha256sum prints it"
        raise InvalidYamlError(node, f"{key}: a configuration at a URL needs its {missing}", remedy)


def _of_a_repository(node: yaml.Node, key: str) -> NoReturn:
    problem = f"{key} is no key of a configuration that others extend"
    raise InvalidYamlError(node, problem, "write it in those repositories that want it")


def _language(node: yaml.Node, key: str) -> str:
    value = text(node, key)
    name = resolve(value)
    if name is None:
        remedy = "use a name or alias that Pygments knows, such as c, python or javascript"
        raise InvalidYamlError(node, f"{key}: there is no language {value!r:.60}", remedy)
    return name


def _paths(patterns: Reader[tuple[str, ...]]) -> Reader[PathPatterns]:
    return lambda node, key: PathPatterns(patterns(node, key))


def _source_pattern(node: yaml.Node, key: str) -> str:
    return accepted(SourcePatterns, node, key)


def _sources(patterns: Reader[tuple[str, ...]]) -> Reader[SourcePatterns]:
    return lambda node, key: SourcePatterns(patterns(node, key))


def _baseline(node: yaml.Node, key: str) -> Path:
    # It is written to, so it must stay where its repository is.
    value = text(node, key)
    parts = Path(value).parts
    if not parts or Path(value).is_absolute() or {"..", ".git"} & set(parts):
        problem = f"{key}: {value!r:.60} is not below the folder of this file"
        raise InvalidYamlError(node, problem, f"write {key}: .winnow/baseline.json")
    return Path(value)


# ---- the schema ------------------------------------------------------------------------------------------------


def _settings(
    paths: Mapping[str, Any] = MappingProxyType({}),
    boilerplate: Mapping[str, Any] = MappingProxyType({}),
    suppressions: Mapping[str, Any] = MappingProxyType({}),
    **others: Any,
) -> Settings:
    return Settings(**paths, **boilerplate, **suppressions, **others)


_KEYS: dict[str, Reader[Any]] = {
    "index": each(_index),
    **PARAMETERS,
    "languages": filled(each(_language)),
    "paths": mapping(
        dict[str, PathPatterns],
        {
            "include": _paths(filled(each(path_pattern))),
            "exclude": _paths(each(path_pattern)),
        },
    ),
    "boilerplate": _parted(each(_boilerplate)),
    "policy": mapping(
        LicensePolicy,
        {
            "deny": each(_licence_pattern),
            "warn": each(_licence_pattern),
            "allow": each(_licence_pattern),
            "default": one_of("error", "warning", "note", "allow"),
        },
    ),
    "report": mapping(
        ReportThresholds,
        {
            "min_tokens": number(1, 100_000),
            "min_tokens_renamed": number(1, 100_000),
            "weak": one_of("error", "warning", "note", "off"),
        },
    ),
    "own": _sources(each(_source_pattern)),
    "baseline": _baseline,
    "suppressions": mapping(dict[str, Any], {"inline": one_of("never", "base", "always")}),
    "extends": _extends,
}
_SHARED_KEYS: dict[str, Reader[Any]] = {
    **_KEYS,
    "index": each(_shared_index),
    # Paths and parameters of indexes that a repository makes are its own; a chain would have no single owner.
    **dict.fromkeys((*PARAMETERS, "baseline", "extends"), _of_a_repository),
}
_FILE, _SHARED_FILE = mapping(_settings, _KEYS), mapping(_settings, _SHARED_KEYS)


def settings_of(root: yaml.Node) -> Settings:
    """The settings in the root node of a file.

    Raises:
        InvalidContentError: keys or values are not those of the schema.
    """
    return _FILE(root, "")


def shared_settings_of(root: yaml.Node) -> Settings:
    """The settings in the root node of a file that others extend.

    Raises:
        InvalidContentError: as ``settings_of`` does; also for what only a repository can say.
    """
    return _SHARED_FILE(root, "")
