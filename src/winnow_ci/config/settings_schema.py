"""The keys of ``.winnow.yml``, what each means and may hold; from YAML nodes to settings."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from winnow_ci.config import settings_values as values
from winnow_ci.config.settings import ReportThresholds, Settings, Snippet
from winnow_ci.config.yaml_collections import each, filled, mapping
from winnow_ci.config.yaml_values import PARAMETERS, Reader, decimal, number, one_of, path_pattern
from winnow_ci.policy.license_policy import LicensePolicy
from winnow_ci.policy.patterns import PathPatterns, SourcePatterns

if TYPE_CHECKING:
    from collections.abc import Mapping

    import yaml

_PAGE = "configuration.md"
_TOKENS = number(1, 100_000)

_PATHS: dict[str, Reader[Any]] = {
    "include": filled(each(path_pattern))
    .into(PathPatterns)
    .described("Only these files are scanned. Default: all.", f"{_PAGE}#paths", examples=[["src/**"]]),
    "exclude": each(path_pattern)
    .into(PathPatterns)
    .described("These files are not scanned, even so.", f"{_PAGE}#paths", examples=[["**/generated/**", "vendor/"]]),
}
_LICENCES = each(values.licence_pattern)
_POLICY: dict[str, Reader[Any]] = {
    "deny": _LICENCES.described(
        "A copy under one of these licences is an error. Tried before warn and allow.",
        f"{_PAGE}#policy",
        examples=[["GPL-*", "AGPL-*", "unknown"]],
    ),
    "warn": _LICENCES.described(
        "A copy under one of these licences is a warning, which fails no check.",
        f"{_PAGE}#policy",
        examples=[["LGPL-*", "MPL-2.0"]],
    ),
    "allow": _LICENCES.described(
        "A copy under one of these licences may stay. It is counted, and not shown.",
        f"{_PAGE}#policy",
        examples=[["MIT", "BSD-*", "Apache-2.0"]],
    ),
    "default": one_of("error", "warning", "note", "allow").described(
        "What a copy is whose licence matches none of the patterns.", f"{_PAGE}#policy", default="error"
    ),
}
_REPORT: dict[str, Reader[Any]] = {
    "min_tokens": _TOKENS.described(
        "The shortest verbatim copy that is reported, in tokens.", f"{_PAGE}#report", default=16
    ),
    "min_tokens_renamed": _TOKENS.described(
        "The shortest copy with changed names that is reported, in tokens.", f"{_PAGE}#report", default=16
    ),
    "weak": one_of("error", "warning", "note", "off").described(
        "The highest level of a weak finding. With off, weak findings are left out.",
        f"{_PAGE}#report",
        default="note",
    ),
    "cut": decimal(-20, 20).described(
        "Log-odds of a copy from which a finding is not weak. Default: those that the evidence model has learnt.",
        f"{_PAGE}#report",
        examples=[2.2],
    ),
}
_SUPPRESSIONS: dict[str, Reader[Any]] = {
    "inline": one_of("never", "base", "always").described(
        "Which comments in the code may allow a copy: none, those that the base of the change has, or those of the "
        "change as well. Default: always on your own machine, base on a CI.",
        f"{_PAGE}#comments",
    )
}


def _parted(entries: tuple[str | Snippet, ...]) -> Mapping[str, object]:
    names = [entry for entry in entries if isinstance(entry, str)]
    return {
        "boilerplate": PathPatterns(tuple(name for name in names if not name.startswith(values.BUILTIN))),
        "snippets": tuple(entry for entry in entries if isinstance(entry, Snippet)),
        "builtins": tuple(name.removeprefix(values.BUILTIN) for name in names if name.startswith(values.BUILTIN)),
    }


_INDEX = (
    "Indexes of known code that a change is compared with: files, folders (all *.db in them), https URLs with a "
    "sha256, or URIs of a server. Paths are relative to this file."
)
_KEYS: dict[str, Reader[Any]] = {
    "index": each(values.index).described(_INDEX, f"{_PAGE}#index", examples=[[".winnow/index.db"]]),
    **PARAMETERS,
    "languages": filled(each(values.language)).described(
        "Only files in these languages are scanned, by the names that Pygments has for them. Default: all.",
        f"{_PAGE}#languages",
        examples=[["c", "python"]],
    ),
    "paths": mapping(dict[str, PathPatterns], _PATHS).described(
        "Which files are scanned. Patterns work as in .gitignore, relative to the root.", f"{_PAGE}#paths"
    ),
    "boilerplate": each(values.boilerplate)
    .into(_parted)
    .described(
        "Code that everybody has, and that is no copy: patterns of files, builtin:NAME, or short texts with their "
        "language.",
        f"{_PAGE}#boilerplate",
        examples=[["tools/boilerplate/**", "builtin:license-headers"]],
    ),
    "policy": mapping(LicensePolicy, _POLICY).described(
        "What a copy is by the licence of its source. Without a policy every copy is an error.", f"{_PAGE}#policy"
    ),
    "report": mapping(ReportThresholds, _REPORT).described("What is reported, and how loudly.", f"{_PAGE}#report"),
    "own": each(values.source_pattern)
    .into(SourcePatterns)
    .described(
        "Sources of the index whose code is yours, by their names or patterns of them.",
        f"{_PAGE}#own",
        examples=[["acme-*"]],
    ),
    "baseline": values.baseline.described(
        "The file of the copies that may stay, below the folder of this file.",
        f"{_PAGE}#baseline",
        examples=[".winnow/baseline.json"],
    ),
    "suppressions": mapping(dict[str, Any], _SUPPRESSIONS).described(
        "What may allow a copy, beside the baseline.", f"{_PAGE}#comments"
    ),
    "extends": values.extends.described(
        "A configuration that several repositories share, and that this one adds to.",
        f"{_PAGE}#a-shared-configuration",
    ),
}
_SHARED_KEYS: dict[str, Reader[Any]] = {
    **_KEYS,
    "index": each(values.shared_index),
    # Paths and parameters of indexes that a repository makes are its own; a chain would have no single owner.
    **dict.fromkeys((*PARAMETERS, "baseline", "extends"), values.of_a_repository),
}


def _settings(
    paths: Mapping[str, Any] = MappingProxyType({}),
    boilerplate: Mapping[str, Any] = MappingProxyType({}),
    suppressions: Mapping[str, Any] = MappingProxyType({}),
    **others: Any,
) -> Settings:
    return Settings(**paths, **boilerplate, **suppressions, **others)


SETTINGS = mapping(_settings, _KEYS)
"""A reader of the root node of a file."""
_SHARED_SETTINGS = mapping(_settings, _SHARED_KEYS)


def settings_of(root: yaml.Node) -> Settings:
    """The settings in the root node of a file.

    Raises:
        InvalidContentError: keys or values are not those of the schema.
    """
    return SETTINGS(root, "")


def shared_settings_of(root: yaml.Node) -> Settings:
    """The settings in the root node of a file that others extend.

    Raises:
        InvalidContentError: as ``settings_of`` does; also for what only a repository can say.
    """
    return _SHARED_SETTINGS(root, "")
