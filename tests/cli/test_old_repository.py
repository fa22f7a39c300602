"""The old repository of docs/findings.md, step by step as it stands there, on a repository with vendored copies."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

import winnow_ci
from support.command import build, winnow
from support.repository import Checkout

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
TEXT = PAGE.partition("\n## Settle an old repository\n")[2].partition("\n## ")[0]
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]
SETTINGS = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)]
PACKAGE = Path(winnow_ci.__file__).parent
# Sources as the page names them, with a licence, and code for them.
SOURCES = {
    "jinja2": ("BSD-3-Clause", "report/sarif.py"),
    "click": ("BSD-3-Clause", "report/github.py"),
    "git": ("unknown", "report/junit.py"),
    "rich": ("MIT", "report/gitlab.py"),
    "secret": ("GPL-3.0-only", "report/coverage.py"),
}


@pytest.fixture
def old(tmp_path: Path) -> Checkout:
    checkout = Checkout.create(tmp_path / "old")
    (checkout.root / ".winnow").mkdir()
    for name, (licence, path) in SOURCES.items():
        source = tmp_path / name
        source.mkdir()
        code = (PACKAGE / path).read_text(encoding="utf-8")
        (source / "code.py").write_text(code, encoding="utf-8")
        build(source, checkout.root / ".winnow" / "index.db", "--name", name, "--license", licence)
        vendored = checkout.root / "vendor" / name
        vendored.mkdir(parents=True)
        (vendored / "code.py").write_text(f"import this\n{code}", encoding="utf-8")
    (checkout.root / ".winnow.yml").write_text("index: [.winnow/index.db]\n")
    checkout.commit()
    return checkout


def run(command: str, checkout: Checkout, status: int) -> str:
    program, *arguments = shlex.split(command)
    assert program == "winnow-ci"
    ended = winnow(*arguments, cwd=checkout.root)
    assert ended.status == status, ended
    return ended.output + ended.errors


def test_the_page_does_what_it_says(old: Checkout) -> None:
    see, approve, record, *commit, again = COMMANDS
    overview = run(see, old, 1).partition("\n\n")[0].splitlines()
    assert overview[0].split() == ["SOURCE", "LEVEL", "FINDINGS", "LINES", "FILES", "LICENCES"]
    assert {line.split()[0] for line in overview[1:]} == set(SOURCES)
    settings = {"index": [".winnow/index.db"]}
    for each in SETTINGS:
        settings.update(each)
    (old.root / ".winnow.yml").write_text(yaml.safe_dump(settings))
    assert "baseline.json: 2 approved" in run(approve, old, 0)
    recorded = run(record, old, 1)
    assert "1 added, 2 kept, 0 removed" in recorded
    assert "1 from git (unknown)" in recorded
    assert "1 not recorded, because policy.deny names the licence" in recorded
    assert [shlex.split(line)[:2] for line in commit] == [["git", "add"], ["git", "commit"]]
    for line in commit:
        old.git(*shlex.split(line)[1:])
    assert "vendor/secret/code.py" in run(again, old, 1)
    (old.root / "vendor" / "secret" / "code.py").unlink()
    assert run(again, old, 0).startswith("no findings, 4 suppressed")
