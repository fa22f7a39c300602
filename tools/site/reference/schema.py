"""Pages of files, from the JSON schemas that describe them: what each key means, and what it may hold.

An object within an object has keys with a dot, one in a list keys with `[]`. A definition that is an object has a table
of its own, to which its uses lead; other definitions are told where they are used.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from reference.markdown import code, plain, table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HEADING = ("key", "holds", "meaning")
_PAGE_OF = re.compile(r"\s*\bdocs/(\S+)$")
_LONGEST_CHOICE = 12


class Described(NamedTuple):
    """A page to be made.

    Attributes:
        title: of the page.
        introduction: Markdown, what stands first.
        always: whether to say which keys are always there, as a program that reads such a file wants to know.
    """

    title: str
    introduction: str
    always: bool = False


class _Schema(NamedTuple):
    root: dict[str, Any]
    always: bool

    def resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        """A node with what it refers to."""
        name = _definition(node)
        return {**self.definitions()[name], **node} if name else node

    def definitions(self) -> dict[str, Any]:
        return dict(self.root.get("$defs") or self.root.get("definitions") or {})


def page(file: Path, described: Described) -> str:
    """The page of the files that a schema describes."""
    schema = _Schema(json.loads(file.read_text(encoding="utf-8")), described.always)
    parts = [f"# {described.title}\n\n{described.introduction}\n\n{table(_HEADING, _rows(schema.root, '', schema))}"]
    for name, node in schema.definitions().items():
        if "properties" in node:
            parts.append(f"## {name}\n\n{table(_HEADING, _rows(node, '', schema))}")
    return "\n".join(parts)


def _rows(node: dict[str, Any], before: str, schema: _Schema) -> Iterator[tuple[str, str, str]]:
    for key, value in node.get("properties", {}).items():
        always = schema.always and key not in node.get("required", ())
        holds = f"{_kind(value, schema)}{', not always there' if always else ''}"
        yield code(f"{before}{key}"), holds, _meaning(schema.resolved(value))
        for inner, name in _objects(value, f"{before}{key}"):
            yield from _rows(inner, f"{name}.", schema)


def _objects(node: dict[str, Any], name: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The objects that a node itself describes, and what they are called."""
    if "properties" in node:
        yield node, name
    if "items" in node:
        yield from _objects(node["items"], f"{name}[]")
    for choice in _choices(node):
        yield from _objects(choice, name)


def _kind(node: dict[str, Any], schema: _Schema) -> str:
    """What a node may hold, in words."""
    name = _definition(node)
    if name and "properties" in schema.definitions()[name]:
        return f"[{name}](#{name})"
    node = schema.resolved(node)
    if "const" in node or "enum" in node:
        return _enumerated(node.get("enum", [node.get("const")]))
    if choices := _choices(node):
        return " or ".join(dict.fromkeys(_kind(choice, schema) for choice in choices))
    if "items" in node:
        return f"list of {_kind(node['items'], schema)}{_or_null(node)}"
    types = node.get("type", "text")
    return " or ".join(_named(one, node) for one in ([types] if isinstance(types, str) else types))


def _enumerated(values: list[Any]) -> str:
    shown = [code(one if isinstance(one, str) else json.dumps(one)) for one in values[:_LONGEST_CHOICE]]
    more = len(values) - len(shown)
    return ", ".join(shown) + (f" … {more} more" if more else "")


def _named(kind: str, node: dict[str, Any]) -> str:
    if kind in {"integer", "number"} and "minimum" in node:
        high = f" to {node['maximum']:,}" if "maximum" in node else " or more"
        return f"{kind}, {node['minimum']}{high}"
    return {"array": "list", "null": "nothing" if "properties" in node else "null", "string": "text"}.get(kind, kind)


def _or_null(node: dict[str, Any]) -> str:
    return " or null" if "null" in node.get("type", ()) else ""


def _meaning(node: dict[str, Any]) -> str:
    """The description, and the page that it ends with as a link."""
    text = node.get("description", "")
    found = _PAGE_OF.search(text)
    told = plain(text[: found.start()] if found else text)
    told += f" Default: {code(json.dumps(node['default']))}." if "default" in node else ""
    return f"{told} ([more](../{found[1]}))" if found else told


def _choices(node: dict[str, Any]) -> list[dict[str, Any]]:
    return list(node.get("oneOf") or node.get("anyOf") or ())


def _definition(node: dict[str, Any]) -> str | None:
    return str(node["$ref"]).rpartition("/")[2] if "$ref" in node else None
