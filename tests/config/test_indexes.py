"""The manifests and locks in ``indexes/``, from which ready-made indexes and starters are made."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from winnow_ci.config.lock import load_lock
from winnow_ci.config.manifest import STARTERS, declared_by_keys, languages_of, load_manifest, starter
from winnow_ci.fetching.packages import parse_purl

FOLDER = Path(__file__).parents[2] / "indexes"


def test_each_language_has_one() -> None:
    assert {file.stem for file in FOLDER.glob("*.yml")} == set(STARTERS)


@pytest.mark.parametrize("language", STARTERS)
def test_each_source_has_a_version_and_a_reason(language: str) -> None:
    manifest = load_manifest(FOLDER / f"{language}.yml")
    assert manifest.index.name == f"{language}.db"
    lines = manifest.path.read_text(encoding="utf-8").splitlines()
    for source in manifest.sources:
        assert parse_purl(source.origin.purl or "").version, source
        assert re.search(r"  # \w.{6}", lines[source.line - 1]), source


@pytest.mark.parametrize("language", STARTERS)
def test_the_lock_has_the_hash_and_the_licence_of_each_source(language: str) -> None:
    lock = load_lock(FOLDER / f"{language}.lock")
    assert lock is not None
    assert {source for source, _ in lock.sources} == set(load_manifest(FOLDER / f"{language}.yml").sources)
    listed = yaml.safe_load((FOLDER / f"{language}.lock").read_text(encoding="utf-8"))["sources"]
    assert all(source["pinned"]["artifacts"][0]["sha256"] for source in listed)
    assert [source["name"] for source in listed if source["pinned"].get("license") == "unknown"] == []


def test_starters_of_several_languages_fit_into_one_manifest() -> None:
    names = Counter(declared_by_keys(one).name for language in STARTERS for one in starter(language))
    assert [name for name, count in names.items() if count > 1] == []


def test_languages_of_a_few_files_have_no_say() -> None:
    assert languages_of(["a.ts", "b.TSX", "lib/c.py", "README.md"]) == ["javascript", "python"]
    assert languages_of([f"{number}.go" for number in range(9)] + ["x.rs"]) == ["go", "rust"]
    assert languages_of([f"{number}.go" for number in range(10)] + ["x.rs"]) == ["go"]
    assert languages_of(["LICENSE", "go", ".py/x"]) == []
