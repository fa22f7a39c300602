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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.config.manifest_source import source_reader
from winnow_ci.config.manifest_values import DeclaredSource, Manifest
from winnow_ci.config.mistakes import InvalidContentError, config_error
from winnow_ci.config.untrusted_file import read_untrusted, refuse_conflict
from winnow_ci.config.yaml_collections import each, mapping
from winnow_ci.config.yaml_nodes import TAG, InvalidYamlError, root_of
from winnow_ci.config.yaml_values import NOWHERE, PARAMETERS, PRINTABLE, matching, takes, text
from winnow_ci.errors import ConfigError

if TYPE_CHECKING:
    import yaml

MAX_BYTES = 1 << 20
INDEX = "index.db"
_REMEDY = "name a readable file with --manifest, or make one: winnow-ci index add PURL|URL|PATH"


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
        values = {} if root is None else MANIFEST(root, "")
    except InvalidContentError as error:
        raise config_error(str(path), error.mistakes) from error
    sources = values.pop("sources", ())
    return Manifest(path, path.parent / values.pop("index", INDEX), values, sources)


# It is written to, so it must stay where its repository is.
_IN_NAME = r"[^/\u0000-\u001f\u007f-\u009f]"
_BELOW = rf"(?!/|{NOWHERE}|(?:{PRINTABLE}*/)?\.[Gg][Ii][Tt](?:/|$))(?:{PRINTABLE}*/)?{_IN_NAME}*(?!\.){_IN_NAME}+\.db"


@takes(matching(_BELOW))
def _index(node: yaml.Node, key: str) -> Path:
    value = text(node, key)
    if not re.fullmatch(_BELOW, value):
        problem = f"{key}: {value!r:.60} is no file *.db below the folder of this file"
        raise InvalidYamlError(node, problem, f"write {key}: {INDEX}")
    return Path(value)


_LISTED = each(source_reader()).schema


@takes({**_LISTED, "type": ["array", "null"], "uniqueItems": True})
def _sources(node: yaml.Node, key: str) -> tuple[DeclaredSource, ...]:
    # The key alone remains when somebody removes the last source.
    return () if node.tag == f"{TAG}null" else each(source_reader())(node, key)


_PAGE = "making-an-index.md#the-manifest"
MANIFEST = mapping(
    dict[str, Any],
    {
        "index": _index.described(
            "The index that is made of the sources, below the folder of this file.", _PAGE, default=INDEX
        ),
        **PARAMETERS,
        "sources": _sources.described("The known code that changes are compared with.", _PAGE),
    },
)
"""A reader of the root node of a file: its keys and their values."""
