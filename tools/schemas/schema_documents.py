"""What the files of a team may hold, as documents of JSON Schema (draft 7), in the form that SchemaStore asks for.

They are made from the readers that check the files, so they cannot know other keys. A document is stricter in one
thing: names of languages and licences must be written as their lists have them, where a reader takes any case. It is
laxer where JSON Schema cannot say it: whether a wildcard or an exception matches something, what an SPDX expression of
several licences means, what a source without a ``name`` is called, and all that YAML has read before (``0x10``, a key
twice).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from winnow_ci.config.baseline import BASELINE_VERSION, ENTRY_FIELDS, LONGEST_IN_ENTRY, REQUIRED_IN_ENTRY
from winnow_ci.config.manifest import MANIFEST_READER
from winnow_ci.config.settings_keys import SETTINGS

if TYPE_CHECKING:
    from winnow_ci.config.yaml_readers import Reader, Schema

STORE = "https://www.schemastore.org"
# Where the pages are to which documents refer: a folder of the repository, or an address that ends without a slash.
DOCUMENTATION = "docs"


class Kind(NamedTuple):
    """A kind of file: the name of its document, what the files are, the paths by which editors know them, a schema."""

    name: str
    title: str
    matches: tuple[str, ...]
    schema: Schema

    @property
    def description(self) -> str:
        return f"Files {' and '.join(self.matches)} of winnow-ci"


def or_nothing(reader: Reader[Any]) -> Schema:
    # A file in which everything is a comment says nothing, and that is right.
    return {**reader.schema, "type": ["object", "null"]}


def baseline_schema() -> Schema:
    see = "configuration.md#baseline"
    filled = {"type": "string", "pattern": r"[^\s]", "maxLength": LONGEST_IN_ENTRY}
    keys = {}
    for key, one in ENTRY_FIELDS.items():
        own = one.schema or ({"pattern": f"^{one.pattern}$"} if one.pattern else {})
        keys[key] = {"description": one.meaning, "see": see, **filled, **own}
    entry = {"type": "object", "properties": keys, "required": REQUIRED_IN_ENTRY, "additionalProperties": False}
    content = {
        "version": {"description": "The version of this format.", "see": see, "const": BASELINE_VERSION},
        "entries": {"description": "The copies.", "see": see, "type": "array", "items": entry, "uniqueItems": True},
    }
    return {"type": "object", "properties": content, "required": list(content), "additionalProperties": False}


SOURCES, BASELINES = ("**/.winnow/sources.yml",), ("**/.winnow/baseline.json",)
KINDS = (
    Kind("winnow-ci.json", "winnow-ci configuration", (".winnow.yml",), or_nothing(SETTINGS)),
    Kind("winnow-ci-sources.json", "winnow-ci manifest of known code", SOURCES, or_nothing(MANIFEST_READER)),
    Kind("winnow-ci-baseline.json", "winnow-ci baseline of copies that may stay", BASELINES, baseline_schema()),
)


def document(kind: Kind, documentation: str = DOCUMENTATION) -> dict[str, Any]:
    """The document of a kind of file, ready to be written as JSON."""
    definitions: dict[str, Any] = {}
    root = written(kind.schema, documentation, definitions)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": f"{STORE}/{kind.name}",
        "$comment": "Made by python tools/schemas from what checks these files. Do not edit it.",
        "title": kind.title,
        "description": f"{kind.description}\n{documentation}/configuration.md",
        **root,
        "definitions": dict(sorted(definitions.items())),
    }


def catalogue_entry(kind: Kind) -> dict[str, Any]:
    """What tells SchemaStore, and with it every editor, which files a document is for."""
    return {
        "name": kind.title,
        "description": kind.description,
        "fileMatch": list(kind.matches),
        "url": f"{STORE}/{kind.name}",
    }


def written(part: Any, documentation: str, definitions: dict[str, Any], see: str = "") -> Any:
    """A part of a schema without what is our own: functions are called, definitions collected, pages named."""
    if callable(part):
        return written(part(), documentation, definitions, see)
    if isinstance(part, list | tuple):
        return [written(one, documentation, definitions, see) for one in part]
    if not isinstance(part, dict):
        return part
    see = part.get("see", see)
    found = {key: written(value, documentation, definitions, see) for key, value in part.items() if key != "see"}
    if isinstance(text := part.get("description"), str):
        # The page that tells more is the last line of a description.
        found["description"] = f"{text}\n{documentation}/{see}"
    if name := found.pop("definition", None):
        definitions[name] = found
        return {"$ref": f"#/definitions/{name}"}
    return found
