"""Which files of a source its manifest takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from winnow_ci.config.source import DeclaredSource, SourceOrigin
from winnow_ci.corpus import collect
from winnow_ci.errors import ConfigError
from winnow_ci.indexer.preparation import LEFT_OUT
from winnow_ci.indexer.selecting import selected

if TYPE_CHECKING:
    from pathlib import Path


def taken(folder: Path, include: tuple[str, ...] | None, exclude: tuple[str, ...]) -> dict[str, str | None]:
    declared = DeclaredSource("roads", SourceOrigin(path="code"), include=include, exclude=exclude)
    with collect([folder]) as corpus:
        chosen = selected(corpus, declared)
        assert [file.path for file in chosen] == sorted(file.path for file in chosen.files)
        return {file.path: file.reason for file in chosen}


@pytest.mark.parametrize(
    ("include", "exclude", "paths"),
    [
        (None, (), {"a.py", "lib/b.py", "test/c.py"}),
        (("lib/**",), (), {"lib/b.py"}),
        (None, ("test/**",), {"a.py", "lib/b.py"}),
        (("**/*.py",), ("test/**", "a.py"), {"lib/b.py"}),
    ],
)
def test_patterns_take_and_leave(
    tmp_path: Path, include: tuple[str, ...] | None, exclude: tuple[str, ...], paths: set[str]
) -> None:
    for path in ("code/a.py", "code/lib/b.py", "code/test/c.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("a = 1\n")
    assert taken(tmp_path / "code", include, exclude).keys() == paths


def test_what_may_state_the_licence_is_read_even_so(code: Path) -> None:
    (code / "LICENSE").write_text("Permission is hereby granted")
    (code / "setup.cfg").write_text("[metadata]\nname = roads\nlicense = MIT\n")
    found = taken(code, ("routes.py",), ())
    assert found.pop("routes.py") is None
    assert "LICENSE" in found
    assert "logs.py" not in found
    assert set(found.values()) == {LEFT_OUT}


def test_patterns_that_leave_nothing_are_a_mistake(code: Path) -> None:
    with pytest.raises(ConfigError, match="none of the 2 files of roads is left") as caught:
        taken(code, ("missing/**",), ())
    assert caught.value.remedy.endswith("such as logs.py")
