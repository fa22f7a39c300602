"""The keys of ``.winnow.yml``, and what each may hold; ``docs/configuration.md`` says what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import yaml

from winnow_ci.config import NEW_BASELINE
from winnow_ci.config import yaml_readers as read
from winnow_ci.config.index_reference import FollowedChannel, IndexReference, PinnedFile, parse_index_reference
from winnow_ci.errors import UsageError
from winnow_ci.languages import resolve_language
from winnow_ci.policy.license_policy import LicensePolicy
from winnow_ci.policy.patterns import PathPatterns, SourcePatterns
from winnow_ci.policy.spdx import remedy_for

_BUILTIN_NAMES = ("builtin:license-headers", "builtin:generated")


@read.takes
def _language(value: str) -> str:
    name = resolve_language(value)
    if name is None:
        remedy = "use a name or alias that Pygments knows, such as c, python or javascript"
        raise UsageError(f"there is no language {value!r:.60}", remedy)
    return name


@read.takes
def _licence_pattern(value: str) -> str:
    LicensePolicy((value,))
    if remedy := remedy_for(value):
        raise UsageError(f"SPDX does not know the licence {value!r:.60}", remedy)
    return value


@read.takes
def _outbound(value: str) -> str:
    from winnow_ci.policy.outbound import canonical_outbound  # noqa: PLC0415 - few configurations need the matrix

    expression = canonical_outbound(value)
    if LicensePolicy(default="allow").verdict(expression) == "error":
        raise UsageError(f"{value!r:.60} is not an SPDX expression", "write one, such as MIT OR Apache-2.0")
    return expression


@read.takes
def _source_pattern(value: str) -> str:
    SourcePatterns((value,))
    return value


def _code(node: yaml.Node, key: str) -> str:
    # Unlike other text, a block of code may have line feeds and tabs.
    if not isinstance(node, yaml.ScalarNode) or node.tag != f"{read.TAG}str" or not node.value.strip():
        raise read.invalid(node, f"{key} must be text, and not empty", f"write {key}: | and the code below it")
    return str(node.value)


_snippet = read.complete(dict[str, str], {"language": _language, "text": _code}, "a snippet", "add the other one")


def _boilerplate(node: yaml.Node, key: str) -> str | dict[str, str]:
    if isinstance(node, yaml.MappingNode):
        return _snippet(node, key)
    value = read.path_pattern(node, key)
    if value.startswith("builtin:") and value not in _BUILTIN_NAMES:
        raise read.invalid(node, f"{key}: there is no {value!r:.60}", f"name one of {', '.join(_BUILTIN_NAMES)}")
    return value


_KEY_TYPES = "ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\\.com"
_public_key = read.text_like(
    rf"(?:{_KEY_TYPES}) [A-Za-z0-9+/]+={{0,3}}(?: {read.PRINTABLE}*)?",
    "is not an SSH public key",
    "write it as its .pub file has it: ssh-ed25519 AAAA…",
)


def _signer(node: yaml.Node, key: str) -> str:
    """Read a public key, and leave out its comment."""
    return " ".join(_public_key(node, key).split()[:2])


_reference = read.takes(parse_index_reference)
_followed = read.complete(
    FollowedChannel,
    {"channel": read.https_url, "signers": read.each(_signer, least=1)},
    "an index that follows a channel",
    "write {channel: https://…, signers: [ssh-ed25519 AAAA…]}",
)


def _index(node: yaml.Node, key: str) -> IndexReference:
    return _followed(node, key) if isinstance(node, yaml.MappingNode) else _reference(node, key)


def _shared_index(node: yaml.Node, key: str) -> IndexReference:
    found = _index(node, key)
    if isinstance(found, Path):
        problem = f"{key}: a path has no meaning here, because other repositories read this file"
        raise read.invalid(node, problem, "name the index by a URI")
    return found


def _of_a_repository(node: yaml.Node, key: str) -> NoReturn:
    problem = f"{key} is not allowed in a configuration that others extend"
    raise read.invalid(node, problem, "set it in each repository instead")


_baseline = read.text_like(
    rf"{read.STAYS_BELOW}{read.PRINTABLE}+",
    "is not below the folder of this file",
    f"write baseline: {NEW_BASELINE}",
)
_paths = {
    "include": read.each(read.path_pattern, least=1, make=PathPatterns),
    "exclude": read.each(read.path_pattern, make=PathPatterns),
}
_policy = read.mapping(
    LicensePolicy,
    {
        **dict.fromkeys(("deny", "warn", "allow"), read.each(_licence_pattern)),
        "default": read.word_of("error", "warning", "note", "allow"),
        "outbound": _outbound,
    },
)
_report = {
    **dict.fromkeys(("min_tokens", "min_tokens_renamed"), read.number(1, 100_000)),
    "weak": read.word_of("error", "warning", "note", "off"),
    "cut": read.number(-20, 20, decimals=True),
}
_assisted = {"policy": _policy, "weak": read.word_of("error", "warning", "note")}
_extended = {"url": read.https_url, "sha256": read.sha256_digest}
_KEYS: dict[str, read.Reader[Any]] = {
    "index": read.each(_index),
    **read.PARAMETERS,
    "languages": read.each(_language, least=1),
    "paths": read.mapping(dict[str, PathPatterns], _paths),
    "boilerplate": read.each(_boilerplate),
    "policy": _policy,
    "report": read.mapping(dict[str, Any], _report),
    "assisted": read.mapping(dict[str, Any], _assisted),
    "own": read.each(_source_pattern, make=SourcePatterns),
    "baseline": _baseline,
    "suppressions": read.mapping(dict[str, Any], {"inline": read.word_of("never", "base", "always")}),
    "assistant": read.mapping(dict[str, Any], {"unchecked": read.word_of("allow", "block")}),
    "extends": read.complete(
        PinnedFile, _extended, "a configuration at a URL", "write {url: https://…, sha256: …}; sha256sum prints it"
    ),
}
_SHARED_KEYS: dict[str, read.Reader[Any]] = {
    **_KEYS,
    "index": read.each(_shared_index),
    # A repository's own index paths and parameters are not shared, and a chain would have no single owner.
    **dict.fromkeys((*read.PARAMETERS, "baseline", "extends"), _of_a_repository),
}


SETTINGS = read.mapping(dict[str, Any], _KEYS)
"""A reader of the root node of a file: its keys and their values."""
SHARED_SETTINGS = read.mapping(dict[str, Any], _SHARED_KEYS)
"""A reader of the root node of a file that others extend, which cannot say what only a repository can."""
