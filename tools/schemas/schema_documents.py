"""What the files of a team may hold, as documents of JSON Schema (draft 7), in the form that SchemaStore asks for.

The files beside this one have them, with three things of our own. ``see`` is the page and heading of the documentation
for more. The enumeration of ``LISTS`` and the pattern of ``PATTERNS`` are named, since the program has them, too.

Tests draw documents from these schemas, to compare what they take with what the program takes. A document is stricter
in one thing: names of languages and licences must be written as their lists have them, where the program takes any
case. It is laxer where JSON Schema cannot say it: whether a wildcard or an exception matches something, what an SPDX
expression of several licences means, what a source without a ``name`` is called, and all that YAML has read before
(``0x10``, a key twice).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, get_args

import yaml

from winnow_ci.config.index_reference import HTTPS_URL, URL_FRAGMENT
from winnow_ci.fetching.urls import GIT_HTTPS, GIT_SSH
from winnow_ci.languages import language_names
from winnow_ci.model import Selection
from winnow_ci.policy.outbound import matrix
from winnow_ci.policy.spdx import known_licences

STORE = "https://www.schemastore.org"
# Where the pages are to which documents refer: a folder of the repository, or an address that ends without a slash.
DOCUMENTATION = "docs"
LISTS = {
    "languages": language_names,
    "licences": known_licences,
    "outbound licences": lambda: sorted(matrix().spellings.values()),
    "selections": lambda: get_args(Selection),
}
PATTERNS = {
    "https URL": HTTPS_URL + URL_FRAGMENT,
    "https URL of git": GIT_HTTPS,
    "ssh URL of git": GIT_SSH,
}


class Kind(NamedTuple):
    """A kind of file: the name of its document, what the files are, and the paths by which editors know them."""

    name: str
    title: str
    matches: tuple[str, ...]

    @property
    def description(self) -> str:
        return f"Files {' and '.join(self.matches)} of winnow-ci"

    def schema(self) -> dict[str, Any]:
        """What the file beside this one has."""
        text = Path(__file__).with_name(self.name).with_suffix(".yml").read_text(encoding="utf-8")
        schema: dict[str, Any] = yaml.safe_load(text)
        return schema


SOURCES, BASELINES = ("**/.winnow/sources.yml",), ("**/.winnow/baseline.json",)
KINDS = (
    Kind("winnow-ci.json", "winnow-ci configuration", (".winnow.yml",)),
    Kind("winnow-ci-sources.json", "winnow-ci manifest of known code", SOURCES),
    Kind("winnow-ci-baseline.json", "winnow-ci baseline of copies that may stay", BASELINES),
)


def document(kind: Kind, documentation: str = DOCUMENTATION) -> dict[str, Any]:
    """The document of a kind of file, ready to be written as JSON."""
    schema = written(kind.schema(), documentation)
    definitions = schema.pop("definitions", {})
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": f"{STORE}/{kind.name}",
        "$comment": "Made by python tools/schemas. Do not edit it.",
        "title": kind.title,
        "description": f"{kind.description}\n{documentation}/configuration.md",
        **schema,
        "definitions": definitions,
    }


def catalogue_entry(kind: Kind) -> dict[str, Any]:
    """What tells SchemaStore, and with it every editor, which files a document is for."""
    return {
        "name": kind.title,
        "description": kind.description,
        "fileMatch": list(kind.matches),
        "url": f"{STORE}/{kind.name}",
    }


def written(part: Any, documentation: str, see: str = "") -> Any:
    """A part of a schema without what is our own."""
    if isinstance(part, list):
        return [written(one, documentation, see) for one in part]
    if not isinstance(part, dict):
        return part
    see = part.get("see", see)
    found = {key: written(value, documentation, see) for key, value in part.items() if key != "see"}
    if isinstance(text := part.get("description"), str):
        # The page that tells more is the last line of a description.
        found["description"] = f"{text}\n{documentation}/{see}"
    if isinstance(name := part.get("enum"), str):
        found["enum"] = list(LISTS[name]())
    if (pattern := PATTERNS.get(str(part.get("pattern")))) is not None:
        found["pattern"] = f"^(?:{pattern})$"
    return found
