"""The preset for Renovate finds in a manifest what the program finds in it.

Renovate itself takes some hundred megabytes of packages; what it does with the preset is what ECMAScript's ``matchAll``
does, whose expressions here Python reads, too, but for the form of a group's name.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from winnow_ci.config.manifest import parse_manifest
from winnow_ci.fetching import packages
from winnow_ci.fetching.packages import FORGES

PRESET = Path(__file__).parents[2] / "renovate" / "sources.json"
MANAGERS = json.loads(PRESET.read_text())["customManagers"]

MANIFEST = (Path(__file__).parent / "files" / "packages.yml").read_text(encoding="utf-8")

# What Renovate has no source of versions for without a mirror being named.
WITHOUT = {"deb"}


def found(manager: dict[str, object]) -> set[tuple[str, str]]:
    """Names and versions that a manager finds in the manifest."""
    (pattern,) = manager["matchStrings"]  # type: ignore[misc]
    matches = re.finditer(pattern.replace("(?<", "(?P<"), MANIFEST)
    return {(match["depName"], match["currentValue"]) for match in matches}


def test_it_finds_what_the_program_finds() -> None:
    declared = set()
    for source in parse_manifest(MANIFEST.encode(), Path("sources.yml")).sources:
        written = re.fullmatch(r"pkg:[a-z]+/([^?]+)@([^?]+)(\?.*)?", source.origin.purl or "")
        if written:
            declared.add((unquote(written[1]), written[2]))
        elif source.origin.git and source.origin.revision:
            declared.add((source.origin.git.removeprefix("https://github.com/"), source.origin.revision))
    names = {(unquote(name), version) for manager in MANAGERS for name, version in found(manager)}
    forges = {("expressjs/express", "v5.0.0"), ("group/project", "v2")}
    assert names - forges == {one for one in declared if "express" not in one[0] and "group" not in one[0]}
    assert forges <= names
    assert len(names) == 12


def test_each_manager_finds_something_of_its_own() -> None:
    by_manager = [found(manager) for manager in MANAGERS]
    assert all(by_manager)
    assert len(set().union(*by_manager)) == sum(map(len, by_manager))


def test_each_kind_of_package_has_a_manager() -> None:
    kinds = set(re.findall(r"pkg:([a-z]+)/", " ".join(one["matchStrings"][0] for one in MANAGERS)))
    assert set(packages._CLIENTS) - WITHOUT <= kinds
    assert kinds <= set(packages._CLIENTS) | set(FORGES)


@pytest.mark.parametrize(
    ("path", "matches"),
    [
        (".winnow/sources.yml", True),
        ("a/.winnow/known.yaml", True),
        (".winnow.yml", False),
        (".winnow/sources.lock", False),
    ],
)
def test_it_looks_into_manifests_only(path: str, matches: bool) -> None:
    for manager in MANAGERS:
        (pattern,) = manager["managerFilePatterns"]
        assert bool(re.search(pattern.removeprefix("/").removesuffix("/"), path)) == matches


def test_its_form_is_that_of_a_preset() -> None:
    line = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.renovate", str(PRESET))
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout
