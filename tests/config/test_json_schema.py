"""The documents of JSON Schema in ``docs``: what editors and other programs are told of the files of a team."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft7Validator

from test_documentation import ROOT, anchors
from winnow_ci.config.json_schema import KINDS, Kind, document

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = ROOT / "docs"
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """All mappings in a document."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(part)


@each_kind
def test_the_documents_are_what_the_readers_say(kind: Kind) -> None:
    written = json.loads((DOCS / kind.name).read_text(encoding="utf-8"))
    assert written == document(kind), "run: python tools/schemas"
    Draft7Validator.check_schema(written)


@each_kind
def test_each_key_is_described_and_leads_to_its_heading(kind: Kind) -> None:
    keys = [key for part in parts(document(kind)) for key in part.get("properties", {}).items()]
    described = {name: key["description"] for name, key in keys if "description" in key}
    assert {name for name, _ in keys} - described.keys() <= {"language", "text"}
    for description in described.values():
        page, _, anchor = description.splitlines()[-1].partition("#")
        assert not anchor or anchor in anchors(ROOT / page)
        assert (ROOT / page).is_file()
