"""Documents drawn from a schema, and mutants of them: the program takes those that the schema takes."""

from __future__ import annotations

import copy
import json
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import regress
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator, ValidationError, validators
from schema_documents import KINDS, Kind, document

from winnow_ci.config.manifest import parse_manifest
from winnow_ci.config.settings import parse_settings
from winnow_ci.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS, MANIFEST, _ = KINDS
# What the schemas leave to the program, by its messages.
BEYOND_A_SCHEMA = (
    "SPDX does not know",
    "is not an SPDX expression",
    "OSADL's matrix does not have",
    "not a valid URI of an index",
    "of an index is not valid",
    "a source without a name",
    "a second source called",
    "is not a package URL",
    "not a tag, branch or full commit id",
    "not the URL of a git repository",
    "an https URL",
    "an https or postgresql URL",
    "nested deeper",
)


@lru_cache
def _compiled(pattern: str) -> regress.Regex:
    return regress.Regex(pattern, "u")


def _pattern(_: object, pattern: str, value: object, __: object) -> Iterator[ValidationError]:
    if isinstance(value, str) and not _compiled(pattern).find(value):
        yield ValidationError(f"{value!r} does not match {pattern}")


Validator: Any = validators.extend(Draft7Validator, {"pattern": _pattern})


def values(schema: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema takes."""
    if "$ref" in schema:
        return values(root["definitions"][schema["$ref"].rpartition("/")[2]], root)
    drawn = _drawn(schema, root)
    checked = Validator({**schema, "definitions": root["definitions"]})
    return drawn.filter(checked.is_valid)


def _drawn(schema: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    several = schema.get("anyOf") or schema.get("allOf")
    if "enum" in schema:
        drawn = st.sampled_from(schema["enum"])
    elif "properties" in schema:
        keys = {key: values(inner, root) for key, inner in schema["properties"].items()}
        drawn = st.fixed_dictionaries({}, optional=keys)
    elif "items" in schema:
        drawn = st.lists(values(schema["items"], root), min_size=schema.get("minItems", 0), max_size=3)
    elif several:
        drawn = st.one_of([values(inner, root) for inner in several if "not" not in inner])
    elif "pattern" in schema:
        drawn = st.from_regex(schema["pattern"])
    elif schema["type"] == "integer":
        drawn = st.integers(schema["minimum"], schema["maximum"])
    elif schema["type"] == "number":
        drawn = st.decimals(schema["minimum"], schema["maximum"], places=3).map(float)
    else:
        drawn = {"boolean": st.booleans()}[schema["type"]]
    return drawn


def refusal(kind: Kind, content: Any) -> str | None:
    """What the program says against a file; None if it takes it."""
    text = yaml.safe_dump(content, allow_unicode=True, sort_keys=False).encode()
    try:
        if kind is SETTINGS:
            parse_settings(text, ".winnow.yml", Path("repo"))
        else:
            parse_manifest(text, Path("sources.yml"))
    except ConfigError as error:
        return str(error)
    return None


NO_VALUES = [
    None,
    True,
    0,
    -1,
    3.5,
    10**9,
    "",
    "x",
    "..",
    "a/../b",
    "!x",
    "-x",
    "http://x/",
    [],
    {},
    ["x"],
    [7],
    {"x": 1},
]
OTHERS = st.sampled_from(NO_VALUES)
OTHER_KEYS = st.sampled_from(("k", "path", "url", "version", "sha256", "all-tags", "x"))


@st.composite
def mutants(draw: st.DrawFn, drawn: st.SearchStrategy[Any]) -> Any:
    """A document with one value changed, left out, or under another key."""
    content = copy.deepcopy(draw(drawn))
    places = list(_places(content))
    if not places:
        return draw(OTHERS)
    holder, key = draw(st.sampled_from(places))
    change = draw(st.sampled_from(("another", "gone", "renamed")))
    if change == "another" or isinstance(holder, list):
        holder[key] = draw(OTHERS)
    else:
        value = holder.pop(key)
        if change == "renamed":
            holder[draw(OTHER_KEYS)] = value
    return content


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in content.items() if isinstance(content, dict) else enumerate(content):
        yield content, key
        if isinstance(value, dict | list):
            yield from _places(value)


@pytest.mark.parametrize("kind", [SETTINGS, MANIFEST], ids=lambda kind: kind.name)
def test_the_program_takes_what_the_schema_takes(kind: Kind) -> None:
    schema = document(kind)
    outcomes: Counter[str] = Counter()

    @settings(max_examples=100)
    @given(values({**schema, "type": "object"}, schema))
    def of_the_schema(content: Any) -> None:
        said = refusal(kind, content)
        outcomes["taken" if said is None else "left to the program"] += 1
        assert said is None or any(known in said for known in BEYOND_A_SCHEMA), said

    of_the_schema()
    assert outcomes["taken"] >= 30, outcomes


@pytest.mark.parametrize("kind", [SETTINGS, MANIFEST], ids=lambda kind: kind.name)
def test_the_program_refuses_what_the_schema_refuses(kind: Kind) -> None:
    schema = document(kind)
    checked = Validator(schema)
    outcomes: Counter[str] = Counter()

    @settings(max_examples=120)
    @given(mutants(values({**schema, "type": "object"}, schema)))
    def of_mutants(content: Any) -> None:
        said, is_valid = refusal(kind, content), checked.is_valid(content)
        outcomes[f"{is_valid}, {said is None}"] += 1
        if is_valid:
            assert said is None or any(known in said for known in BEYOND_A_SCHEMA), said
        else:
            assert said is not None, json.dumps(content)

    of_mutants()
    assert outcomes["False, False"] >= 50, outcomes
