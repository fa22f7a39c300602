"""docs/organisation.md: what it shows is valid, and each command of ours on it is one."""

from __future__ import annotations

import re
import shlex
import subprocess
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from support.action import ACTION, ROOT
from winnow_ci.cli import COMMANDS, parser_of
from winnow_ci.config.index_reference import PinnedFile, ServedIndex
from winnow_ci.config.settings import SharedConfiguration, parse_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = (ROOT / "docs" / "organisation.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```yaml\n# (\S+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
PROGRAM = "winnow-ci"
SHARED = "winnow-2026-11-23.yml"


def commands() -> Iterator[list[str]]:
    """The command lines of ours: in blocks, in jobs, and in the text."""
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
    jobs = yaml.safe_load(FILES[".gitlab-ci.yml"])[PROGRAM]["script"]
    inline = re.findall(r"`(winnow-ci [^`]+)`", TEXT)
    for line in chain(blocks.splitlines(), jobs, inline):
        words = shlex.split(line, comments=True)
        if words[:1] == [PROGRAM]:
            yield [word for word in words[1:] if not re.match(r">|<", word)]


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_a_command_is_one_of_ours(words: list[str]) -> None:
    arguments = parser_of(COMMANDS).parse_args(words)
    assert callable(arguments.run)


def test_there_are_many() -> None:
    assert len(list(commands())) >= 10
    assert {words[0] for words in commands()} >= {"index", "scan", "init"}
    assert {words[1] for words in commands() if words[0] == "index"} >= {"key", "publish", "sync"}


def test_the_configurations_are_read_together() -> None:
    shared = SharedConfiguration(FILES[SHARED].encode(), SHARED)
    settings = parse_settings(FILES[".winnow.yml"].encode(), ".winnow.yml", Path("repo"), shared)
    assert settings.extends is not None
    assert settings.extends.url.endswith(f"/{SHARED}")
    assert [type(index) for index in settings.index] == [ServedIndex]
    assert settings.policy is not None
    assert settings.baseline == Path("repo/.winnow/baseline.json")


def test_the_bot_changes_what_is_extended_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".winnow.yml").write_text(FILES[".winnow.yml"])
    (tmp_path / "winnow-2026-11-30.yml").write_text(FILES[SHARED])
    block = next(
        found for found in re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL) if "sed -i" in found
    )
    script = block.partition("winnow-ci scan")[0]
    subprocess.run(["bash", "-eu", "-c", script], cwd=tmp_path, check=True)
    before, after = (
        parse_settings(text.encode(), "", Path())
        for text in (FILES[".winnow.yml"], (tmp_path / ".winnow.yml").read_text())
    )
    assert isinstance(after.extends, PinnedFile)
    assert after.extends.url == "https://downloads.example.com/winnow-2026-11-30.yml"
    assert after.extends != before.extends
    assert after.baseline == before.baseline


def test_the_jobs_use_what_there_is() -> None:
    (job,) = yaml.safe_load(FILES[".github/workflows/winnow-ci.yml"])["jobs"].values()
    (ours,) = (step for step in job["steps"] if "/winnow-ci@" in step.get("uses", ""))
    assert set(ours["with"]) <= set(ACTION["inputs"])
