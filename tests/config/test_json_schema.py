"""The documents of JSON Schema in ``docs``: what editors and other programs are told of the files of a team.

The programs that read a document here are check-jsonschema, as a hook of pre-commit runs it, with its own reading of
YAML, and the library jsonschema with the regular expressions of ECMAScript.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from jsonschema import Draft7Validator
from schema_documents import KINDS, Kind, catalogue_entry, document

from support.mistakes import mistakes
from test_documentation import PAGES, ROOT, anchors, tokens
from winnow_ci.cli.init import CONFIGURATION_TEXT
from winnow_ci.config.baseline import parse_baseline
from winnow_ci.config.manifest import parse_manifest
from winnow_ci.config.settings import parse_settings
from winnow_ci.errors import ConfigError, ExitStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DOCS = ROOT / "docs"
SETTINGS, MANIFEST, BASELINE = KINDS
LEAST_EXAMPLES = 14
LEAST_MISTAKES = {"settings": 120, "manifest": 80, "baseline": 40}
GOOD_ENTRY = {
    "path": "src/a.c",
    "source": "curl",
    "source_path": "lib/url.c",
    "license": "curl",
    "kind": "verbatim",
    "anchor": "0" * 32,
    "reason": "asked its author",
}
GOOD_ENTRIES: tuple[list[object], ...] = ([], [GOOD_ENTRY], [{**GOOD_ENTRY, "expires": "2027-01-31"}])
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def read(kind: Kind, text: str) -> None:
    """Read a file as the program does."""
    if kind is SETTINGS:
        parse_settings(text.encode(), ".winnow.yml", Path("repo"))
    elif kind is BASELINE:
        parse_baseline(text.encode(), "baseline.json")
    else:
        parse_manifest(text.encode(), Path("sources.yml"))


def accepted(kind: Kind, texts: list[str], folder: Path) -> list[bool]:
    """Which of some files check-jsonschema finds no mistake in."""
    for number, text in enumerate(texts):
        (folder / f"{number}{Path(kind.matches[0]).suffix}").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--schemafile", str(DOCS / kind.name), "-o", "json"]
    files = [str(folder / f"{number}{Path(kind.matches[0]).suffix}") for number in range(len(texts))]
    done = subprocess.run([*command, *files], capture_output=True, text=True, timeout=120, check=False)
    found = json.loads(done.stdout)
    wrong = {one["filename"] for one in [*found.get("errors", ()), *found.get("parse_errors", ())]}
    assert wrong <= set(files)
    return [file not in wrong for file in files]


# ---- the documents themselves ----------------------------------------------------------------------------------


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """All mappings in a document."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(part)


@each_kind
def test_the_documents_are_made_of_the_files_of_the_tool(kind: Kind) -> None:
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
        assert (ROOT / page).is_file()
        assert not anchor or anchor in anchors(ROOT / page)


def objects(schema: dict[str, Any], root: dict[str, Any]) -> Iterator[tuple[Callable[[Any], Any], list[str]]]:
    """The objects in a schema: how to put one where it belongs, and its keys."""
    if "properties" in schema:
        yield lambda content: content, list(schema["properties"])
    for key, value in schema.get("properties", {}).items():
        for put, keys in objects(value, root):
            yield lambda content, key=key, put=put: {key: put(content)}, keys
    for put, keys in objects(schema["items"], root) if "items" in schema else ():
        yield lambda content, put=put: [put(content)], keys
    for choice in schema.get("anyOf", ()):
        yield from objects(choice, root)


@each_kind
def test_the_program_takes_the_keys_of_the_document_and_no_others(kind: Kind) -> None:
    schema = document(kind)
    for put, keys in objects(schema, schema):
        content = put({"zzzzzzz": 1})
        if kind is BASELINE:
            content = {"version": 1, "entries": [], **content}
        with pytest.raises(ConfigError) as caught:
            read(kind, json.dumps(content))
        words = f"{caught.value} {caught.value.remedy}"
        assert ", ".join(keys) in words or " and ".join(keys) in words


@each_kind
def test_no_other_key_is_taken_anywhere(kind: Kind) -> None:
    # Conditions are objects of one key.
    objects = [part for part in parts(document(kind)) if len(part.get("properties", ())) > 1]
    assert len(objects) >= 2
    assert all(part["additionalProperties"] is False for part in objects)


def test_the_catalogue_has_the_entries_that_the_documentation_shows() -> None:
    shown = [json.loads(token.content) for token in tokens(DOCS / "scanning.md") if token.info == "json"]
    assert [catalogue_entry(kind) for kind in KINDS] in shown


# ---- what they take, and what they refuse ----------------------------------------------------------------------


def examples() -> Iterator[tuple[Kind, str]]:
    """The files of a team in the documentation: those with a key that only such files have."""
    of_settings = set(document(SETTINGS)["properties"])
    for page in PAGES:
        for token in tokens(page):
            block = yaml.safe_load(token.content) if token.type == "fence" and token.info in {"yaml", "yml"} else None
            if isinstance(block, dict) and "sources" in block:
                yield MANIFEST, token.content
            elif isinstance(block, dict) and block.keys() & of_settings and not block.keys() & {"jobs", "on", "repos"}:
                yield SETTINGS, token.content
            if token.info == "json" and '"anchor"' in token.content:
                yield BASELINE, f'{{"version": 1, "entries": [{token.content}]}}'


def test_every_example_of_the_documentation_is_taken(tmp_path: Path) -> None:
    found = list(examples())
    # Also what ``init`` writes, and what it has in comments for later.
    found += [
        *((BASELINE, json.dumps({"version": 1, "entries": entries})) for entries in GOOD_ENTRIES),
        (SETTINGS, CONFIGURATION_TEXT),
        (SETTINGS, re.sub(r"(?m)^# (?=[ a-z]+: *[\[{]|[a-z]+:$)", "", CONFIGURATION_TEXT)),
    ]
    assert len(found) >= LEAST_EXAMPLES
    for kind in KINDS:
        texts = [text for which, text in found if which is kind]
        assert texts
        for text in texts:
            read(kind, text)
        assert accepted(kind, texts, tmp_path) == [True] * len(texts)


@pytest.mark.parametrize(("kind", "name"), list(zip(KINDS, LEAST_MISTAKES, strict=True)), ids=list(LEAST_MISTAKES))
def test_mistakes_are_refused_by_the_program_and_by_the_document(kind: Kind, name: str, tmp_path: Path) -> None:
    """Each with its line and advice; a document cannot tell what only the program knows."""
    found = mistakes(name)
    assert len(found) >= LEAST_MISTAKES[name]
    for one in found:
        with pytest.raises(ConfigError) as caught:
            read(kind, one.text)
        assert re.match(rf"[\w.]+:{one.line}: ", caught.value.problem), one
        assert (one.problem in caught.value.problem, one.remedy in caught.value.remedy) == (True, True), one
        assert (str(caught.value).count("\n"), caught.value.exit_status) == (1, ExitStatus.USAGE), one
        assert "secret" not in str(caught.value)
    passed = accepted(kind, [one.text for one in found], tmp_path)
    assert [one for one, passes in zip(found, passed, strict=True) if passes != one.only_the_program] == []
