"""Names that a file system may take for one: those of macOS and Windows, which that of the tests may tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from winnow_ci import git
from winnow_ci.git.folded_names import folded

if TYPE_CHECKING:
    from support.repository import Checkout


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (".winnow.yml", ".WINNOW.YML"),
        (".winnow/index.db", ".Winnow/INDEX.db"),
        ("r\u00e9gles.json", "re\u0301gles.json"),
        ("r\u00e9gles.json", "R\u00c9GLES.JSON"),
        (".winnow.yml", ".win\u200cnow.yml"),
        (".winnow.yml", "\ufeff.winnow.yml"),
        ("stra\u00dfe.db", "STRASSE.db"),
        ("file.db", "\ufb01le.db"),
        ("sources.lock", "\u017fources.lock"),
        ("kb.db", "\u212ab.db"),
    ],
)
def test_names_that_some_file_system_takes_for_one(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize("other", [".winnow.yaml", "winnow.yml", ".winnow.yml.txt", ".winnow.ym"])
def test_other_names_are_others(other: str) -> None:
    assert folded(other) != folded(".winnow.yml")


def test_what_git_tracks_under_another_spelling(checkout: Checkout) -> None:
    checkout.commit({".WINNOW.YML": "x", "Cache/Index.DB": "x"})
    repository = git.Repository.find(checkout.root)
    tracked = [
        name
        for name in (".winnow.yml", "cache", "cache/index.db", "cach", "index.db")
        if git.is_tracked(repository, name)
    ]
    assert tracked == [".winnow.yml", "cache", "cache/index.db"]
