"""The kinds of values that only ``.winnow.yml`` has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NoReturn

import yaml

from winnow_ci.config.index_reference import PINNED_FILE, SERVED_INDEX, IndexReference, PinnedFile, index_reference
from winnow_ci.config.settings import BUILTINS, Snippet
from winnow_ci.config.yaml_collections import mapping, requiring
from winnow_ci.config.yaml_nodes import TAG, InvalidYamlError
from winnow_ci.config.yaml_values import (
    NOWHERE,
    PRINTABLE,
    accepted,
    https_url,
    kind,
    matching,
    path_pattern,
    sha256,
    takes,
    text,
)
from winnow_ci.errors import UsageError
from winnow_ci.languages import language_names, resolve
from winnow_ci.policy.license_policy import LicensePolicy
from winnow_ci.policy.patterns import MAX_LENGTH, SourcePatterns
from winnow_ci.policy.spdx import known_licences, remedy_for

BUILTIN = "builtin:"
_PINNED = "write a path, or https://HOST/FILE#sha256=DIGITS"
_CONFIGURATION_AT_URL = "write {url: https://…, sha256: …}; sha256sum prints it"


# ---- languages, licences, sources ------------------------------------------------------------------------------


@takes({"type": "string", "enum": language_names, "definition": "language"})
def language(node: yaml.Node, key: str) -> str:
    """The canonical name of a language."""
    value = text(node, key)
    name = resolve(value)
    if name is None:
        remedy = "use a name or alias that Pygments knows, such as c, python or javascript"
        raise InvalidYamlError(node, f"{key}: there is no language {value!r:.60}", remedy)
    return name


# A schema cannot tell whether a wildcard or an exception matches something on a list.
_UNJUDGED = r"^(?:[!-'*-~]*[*?+\[][!-'*-~]*|(?:LicenseRef|DocumentRef)-[!-'*-~]*|[!-'*-~]+ WITH [!-'*-~]+)$"


@takes(
    {
        "type": "string",
        "maxLength": MAX_LENGTH,
        "anyOf": [{"enum": known_licences}, {"pattern": _UNJUDGED}],
        "definition": "licence-pattern",
    }
)
def licence_pattern(node: yaml.Node, key: str) -> str:
    """A pattern of licences that matches one at least."""
    pattern = accepted(LicensePolicy, node, key)
    if remedy := remedy_for(pattern):
        raise InvalidYamlError(node, f"{key}: SPDX knows no licence {pattern!r:.60}", remedy)
    return pattern


@takes({**matching(f"{PRINTABLE}+"), "maxLength": MAX_LENGTH})
def source_pattern(node: yaml.Node, key: str) -> str:
    """A pattern of names of sources."""
    return accepted(SourcePatterns, node, key)


# ---- code that everybody has -----------------------------------------------------------------------------------


@takes({"type": "string", "pattern": r"[^\s]"})
def _code(node: yaml.Node, key: str) -> str:
    # Unlike other text, a block of code may have line feeds and tabs.
    if not isinstance(node, yaml.ScalarNode) or node.tag != f"{TAG}str" or not node.value.strip():
        raise InvalidYamlError(node, f"{key} must be text, and not empty", f"write {key}: | and the code below it")
    return str(node.value)


_snippet = mapping(
    Snippet,
    {"language": language, "text": _code},
    requiring("a snippet", "add the other one", "language", "text"),
)
_BUILTIN_NAMES = [f"{BUILTIN}{name}" for name in BUILTINS]


@takes(
    {
        "anyOf": [
            {"enum": _BUILTIN_NAMES},
            {"allOf": [path_pattern.schema, {"type": "string", "not": {"type": "string", "pattern": f"^{BUILTIN}"}}]},
            _snippet.schema,
        ]
    }
)
def boilerplate(node: yaml.Node, key: str) -> str | Snippet:
    """A pattern of paths, the name of a text of our own, or a text."""
    if isinstance(node, yaml.MappingNode):
        return _snippet(node, key)
    value = path_pattern(node, key)
    if value.startswith(BUILTIN) and value not in _BUILTIN_NAMES:
        raise InvalidYamlError(node, f"{key}: there is no {value!r:.60}", f"there are {', '.join(_BUILTIN_NAMES)}")
    return value


# ---- other files -----------------------------------------------------------------------------------------------


_URIS = [matching(PINNED_FILE), matching(SERVED_INDEX)]


@takes({"anyOf": [matching(rf"(?![A-Za-z][A-Za-z0-9+.-]+://){PRINTABLE}+"), *_URIS]})
def index(node: yaml.Node, key: str) -> IndexReference:
    """A path or a URI of an index."""
    if isinstance(node, yaml.MappingNode):
        raise InvalidYamlError(node, f"{key}: an entry must be text, not {kind(node)}", _PINNED)
    try:
        return index_reference(text(node, key))
    except UsageError as error:
        raise InvalidYamlError(node, f"{key}: {error.problem}", error.remedy) from error


@takes({"anyOf": _URIS})
def shared_index(node: yaml.Node, key: str) -> IndexReference:
    """A URI of an index."""
    found = index(node, key)
    if isinstance(found, Path):
        problem = f"{key}: a path means nothing here, since other repositories read this file"
        raise InvalidYamlError(node, problem, "name the index by a URI")
    return found


extends = mapping(
    PinnedFile,
    {
        "url": https_url.described("Where the shared configuration is.", "configuration.md#a-shared-configuration"),
        "sha256": sha256.described("What sha256sum prints for it.", "configuration.md#a-shared-configuration"),
    },
    requiring("a configuration at a URL", _CONFIGURATION_AT_URL, *PinnedFile._fields),
)

# It is written to, so it must stay where its repository is.
_BELOW = rf"(?!/|{NOWHERE}|(?:{PRINTABLE}*/)?\.[Gg][Ii][Tt](?:/|$)){PRINTABLE}+"


@takes(matching(_BELOW))
def baseline(node: yaml.Node, key: str) -> Path:
    """A path below the folder of the file."""
    value = text(node, key)
    if not re.fullmatch(_BELOW, value):
        problem = f"{key}: {value!r:.60} is not below the folder of this file"
        raise InvalidYamlError(node, problem, f"write {key}: .winnow/baseline.json")
    return Path(value)


@takes({"not": {}})
def of_a_repository(node: yaml.Node, key: str) -> NoReturn:
    """Nothing: only a repository has this key."""
    problem = f"{key} is no key of a configuration that others extend"
    raise InvalidYamlError(node, problem, "write it in those repositories that want it")
