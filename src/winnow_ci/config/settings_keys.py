"""The keys of ``.winnow.yml``: what each means and may hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import yaml

from winnow_ci.config import NEW_BASELINE
from winnow_ci.config import yaml_readers as read
from winnow_ci.config.index_reference import (
    BLOCK_FOLDER,
    PINNED_FILE,
    SERVED_INDEX,
    FollowedChannel,
    IndexReference,
    PinnedFile,
    parse_index_reference,
)
from winnow_ci.errors import UsageError
from winnow_ci.languages import language_names, resolve_language
from winnow_ci.policy.license_policy import LicensePolicy
from winnow_ci.policy.patterns import MAX_LENGTH, PathPatterns, SourcePatterns
from winnow_ci.policy.spdx import known_licences, remedy_for

_PAGE, _SIGN = "configuration.md", "sharing-an-index.md#channels"
_BUILTIN = "builtin:"
_BUILTIN_NAMES = [f"{_BUILTIN}{name}" for name in ("license-headers", "generated")]


@read.takes({"type": "string", "enum": language_names, "definition": "language"})
def _language(value: str) -> str:
    name = resolve_language(value)
    if name is None:
        remedy = "use a name or alias that Pygments knows, such as c, python or javascript"
        raise UsageError(f"there is no language {value!r:.60}", remedy)
    return name


# A schema cannot tell whether a wildcard or an exception matches something on a list.
_UNJUDGED = r"^(?:[!-'*-~]*[*?+\[][!-'*-~]*|(?:LicenseRef|DocumentRef)-[!-'*-~]*|[!-'*-~]+ WITH [!-'*-~]+)$"
_SINGLE_LICENCES = [{"enum": known_licences}, {"pattern": _UNJUDGED}]


@read.takes({"type": "string", "maxLength": MAX_LENGTH, "anyOf": _SINGLE_LICENCES, "definition": "licence-pattern"})
def _licence_pattern(value: str) -> str:
    LicensePolicy((value,))
    if remedy := remedy_for(value):
        raise UsageError(f"SPDX does not know the licence {value!r:.60}", remedy)
    return value


def _outbound_licences() -> list[str]:
    from winnow_ci.policy.outbound import matrix  # noqa: PLC0415 - few configurations need the matrix

    return sorted(matrix().spellings.values())


@read.takes({"type": "string", "anyOf": [{"enum": _outbound_licences}, {"pattern": r"^[!-~]*[ (][ -~]*$"}]})
def _outbound(value: str) -> str:
    from winnow_ci.policy.outbound import canonical_outbound  # noqa: PLC0415 - as above

    expression = canonical_outbound(value)
    if LicensePolicy(default="allow").verdict(expression) == "error":
        raise UsageError(f"{value!r:.60} is not an SPDX expression", "write one, such as MIT OR Apache-2.0")
    return expression


@read.takes({**read.matching(f"{read.PRINTABLE}+"), "maxLength": MAX_LENGTH})
def _source_pattern(value: str) -> str:
    SourcePatterns((value,))
    return value


@read.reads({"type": "string", "pattern": r"[^\s]"})
def _code(node: yaml.Node, key: str) -> str:
    # Unlike other text, a block of code may have line feeds and tabs.
    if not isinstance(node, yaml.ScalarNode) or node.tag != f"{read.TAG}str" or not node.value.strip():
        raise read.invalid(node, f"{key} must be text, and not empty", f"write {key}: | and the code below it")
    return str(node.value)


_snippet = read.complete(dict[str, str], {"language": _language, "text": _code}, "a snippet", "add the other one")
_NOT_OURS = {"type": "string", "not": {"type": "string", "pattern": f"^{_BUILTIN}"}}


@read.reads({"anyOf": [{"enum": _BUILTIN_NAMES}, {"allOf": [read.path_pattern.schema, _NOT_OURS]}, _snippet.schema]})
def _boilerplate(node: yaml.Node, key: str) -> str | dict[str, str]:
    if isinstance(node, yaml.MappingNode):
        return _snippet(node, key)
    value = read.path_pattern(node, key)
    if value.startswith(_BUILTIN) and value not in _BUILTIN_NAMES:
        raise read.invalid(node, f"{key}: there is no {value!r:.60}", f"there are {', '.join(_BUILTIN_NAMES)}")
    return value


_URIS = [*map(read.matching, (PINNED_FILE, BLOCK_FOLDER, SERVED_INDEX))]
_reference = read.takes({})(parse_index_reference)


_KEY_TYPES = "ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\\.com"
_signer = read.text_like(
    rf"(?:{_KEY_TYPES}) [A-Za-z0-9+/]+={{0,3}}(?: {read.PRINTABLE}*)?",
    "is not a public key of SSH",
    "write it as its .pub file has it: ssh-ed25519 AAAA…",
).into(lambda key: " ".join(key.split()[:2]))
_followed = read.complete(
    FollowedChannel,
    {
        "channel": read.https_url.described("The URL of a channel: a signed file that names the newest index.", _SIGN),
        "signers": read.each(_signer, least=1).described("The public keys of those who may sign the channel.", _SIGN),
    },
    "an index that follows a channel",
    "write {channel: https://…, signers: [ssh-ed25519 AAAA…]}",
)


@read.reads({"anyOf": [read.matching(rf"(?![A-Za-z][A-Za-z0-9+.-]+://){read.PRINTABLE}+"), *_URIS, _followed.schema]})
def _index(node: yaml.Node, key: str) -> IndexReference:
    return _followed(node, key) if isinstance(node, yaml.MappingNode) else _reference(node, key)


@read.reads({"anyOf": [*_URIS, _followed.schema]})
def _shared_index(node: yaml.Node, key: str) -> IndexReference:
    found = _index(node, key)
    if isinstance(found, Path):
        problem = f"{key}: a path has no meaning here, because other repositories read this file"
        raise read.invalid(node, problem, "name the index by a URI")
    return found


@read.reads({"not": {}})
def _of_a_repository(node: yaml.Node, key: str) -> NoReturn:
    problem = f"{key} is not allowed in a configuration that others extend"
    raise read.invalid(node, problem, "set it in each repository instead")


_BELOW = rf"{read.STAYS_BELOW}{read.PRINTABLE}+"
_baseline = read.text_like(_BELOW, "is not below the folder of this file", f"write baseline: {NEW_BASELINE}")

_TOKENS = read.number(1, 100_000)
_LICENCES = read.each(_licence_pattern)
_POLICY = read.mapping(
    LicensePolicy,
    {
        "deny": _LICENCES.described(
            "A copy under one of these licences is an error. Takes precedence over warn and allow.",
            examples=[["GPL-*", "AGPL-*", "unknown"]],
        ),
        "warn": _LICENCES.described(
            "A copy under one of these licences is a warning, which fails no check.", examples=[["LGPL-*", "MPL-2.0"]]
        ),
        "allow": _LICENCES.described(
            "A copy under one of these licences may stay. It is counted but not shown.",
            examples=[["MIT", "BSD-*", "Apache-2.0"]],
        ),
        "default": read.word_of("error", "warning", "note", "allow").described(
            "The level of a copy whose licence matches no pattern.", default="error"
        ),
        "outbound": _outbound.described(
            "The licence of your own code. OSADL's matrix then judges licences that match no pattern.",
            examples=["Apache-2.0", "MIT OR Apache-2.0"],
        ),
    },
)
_KEYS: dict[str, read.Reader[Any]] = {
    "index": read.each(_index).described(
        "Indexes of known code that a change is compared with: files, folders (all *.db in them), https URLs with a "
        "sha256, URIs of a server, or channels. Paths are relative to this file.",
        f"{_PAGE}#index",
        examples=[[".winnow/index.db"]],
    ),
    **read.PARAMETERS,
    "languages": read.each(_language, least=1).described(
        "Only files in these languages (Pygments names) are scanned. Default: all.",
        f"{_PAGE}#languages",
        examples=[["c", "python"]],
    ),
    "paths": read.mapping(
        dict[str, PathPatterns],
        {
            "include": read.each(read.path_pattern, least=1, make=PathPatterns).described(
                "Only these files are scanned. Default: all.", examples=[["src/**"]]
            ),
            "exclude": read.each(read.path_pattern, make=PathPatterns).described(
                "These files are not scanned, even if include names them.", examples=[["**/generated/**", "vendor/"]]
            ),
        },
    ).described("Which files are scanned. Patterns work as in .gitignore, relative to the root.", f"{_PAGE}#paths"),
    "boilerplate": read.each(_boilerplate).described(
        "Code that everybody has, which is never a copy: file patterns, builtin:NAME, or short texts with their "
        "language.",
        f"{_PAGE}#boilerplate",
        examples=[["tools/boilerplate/**", "builtin:license-headers"]],
    ),
    "policy": _POLICY.described(
        "The level of a copy, by the licence of its source. Without a policy, every copy is an error.",
        f"{_PAGE}#policy",
    ),
    "report": read.mapping(
        dict[str, Any],
        {
            "min_tokens": _TOKENS.described("The shortest verbatim copy that is reported, in tokens.", default=16),
            "min_tokens_renamed": _TOKENS.described(
                "The shortest copy with changed names that is reported, in tokens.", default=16
            ),
            "weak": read.word_of("error", "warning", "note", "off").described(
                "The highest level of weak findings. off leaves them out.", default="note"
            ),
            "cut": read.number(-20, 20, decimals=True).described(
                "A finding is weak if its log-odds of a copy are lower. Default: the threshold that the evidence model "
                "learnt.",
                examples=[2.2],
            ),
        },
    ).described("Which copies are reported, and at which level.", f"{_PAGE}#report"),
    "assisted": read.mapping(
        dict[str, Any],
        {
            "policy": _POLICY.described(
                "A policy for these copies, besides the usual one. The severer level counts.", f"{_PAGE}#policy"
            ),
            "weak": read.word_of("error", "warning", "note").described(
                "The highest level of weak findings in these commits, if that is higher than report.weak.",
                examples=["warning"],
            ),
        },
    ).described(
        "Stricter rules for commits that a coding assistant helped to write, according to their trailers.",
        f"{_PAGE}#assisted",
    ),
    "own": read.each(_source_pattern, make=SourcePatterns).described(
        "Sources in the index that are your own code: names or patterns.", f"{_PAGE}#own", examples=[["acme-*"]]
    ),
    "baseline": _baseline.into(Path).described(
        "The file that lists accepted copies, below the folder of this file.",
        f"{_PAGE}#baseline",
        examples=[".winnow/baseline.json"],
    ),
    "suppressions": read.mapping(
        dict[str, Any],
        {
            "inline": read.word_of("never", "base", "always").described(
                "Which comments in the code may allow a copy: none, those that the base of the change has, or those of "
                "the change as well. Default: always on your own machine, base on a CI."
            )
        },
    ).described("What may allow a copy, besides the baseline.", f"{_PAGE}#comments"),
    "assistant": read.mapping(
        dict[str, Any],
        {
            "unchecked": read.word_of("allow", "block").described(
                "Whether a coding assistant may write what could not be checked.", default="allow"
            )
        },
    ).described("What coding assistants may do (winnow-ci assistant).", f"{_PAGE}#coding-assistants"),
    "extends": read.complete(
        PinnedFile,
        {
            "url": read.https_url.described("The URL of the shared configuration."),
            "sha256": read.sha256_digest.described("The sha256 of the file."),
        },
        "a configuration at a URL",
        "write {url: https://…, sha256: …}; sha256sum prints it",
    ).described("A shared configuration that this one extends.", f"{_PAGE}#a-shared-configuration"),
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
