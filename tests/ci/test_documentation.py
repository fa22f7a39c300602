"""The workflows of docs/ci.md are valid as they stand there, and what they run runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from support.action import ACTION, ROOT
from support.command import build, winnow
from support.donor import BASE, CHANGE, write_known
from support.forge import PROJECT, Forge
from support.manifest import Project
from support.reports import CASES, STYLE
from winnow_ci.cli.init import WORKFLOW_TEXT as WORKFLOW_OF_INIT
from winnow_ci.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```yaml\n# (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = _BLOCK.findall(TEXT)
ORGANISATION = dict(_BLOCK.findall((ROOT / "docs" / "organisation.md").read_text(encoding="utf-8")))
WORKFLOWS = [text for file, text in BLOCKS if file.startswith(".github/workflows/")]
PIPELINES = [text for file, text in BLOCKS if file == ".gitlab-ci.yml"]
SHA = "0123456789abcdef0123456789abcdef01234567"


def check(program: str, *arguments: str | Path) -> None:
    command = [Path(sys.executable).with_name(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def steps(workflow: str) -> Iterator[dict[str, Any]]:
    for job in yaml.safe_load(workflow)["jobs"].values():
        yield from job["steps"]


def test_every_block_is_known() -> None:
    assert len(WORKFLOWS) == 5
    assert len(PIPELINES) == 1
    assert len(BLOCKS) == TEXT.count("```yaml")


def test_workflows_are_valid_and_safe(tmp_path: Path) -> None:
    files = []
    for number, text in enumerate([*WORKFLOWS, ORGANISATION[".github/workflows/winnow-ci.yml"]]):
        file = tmp_path / ".github" / "workflows" / f"{number}.yml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("<commit>", SHA).replace("<owner>", "octo"))
        files.append(file)
    check("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *files)
    check("zizmor", "--offline", "--no-progress", *files)


@pytest.mark.parametrize("pipeline", [*PIPELINES, ORGANISATION[".gitlab-ci.yml"]])
def test_pipelines_are_valid(tmp_path: Path, pipeline: str) -> None:
    (tmp_path / ".gitlab-ci.yml").write_text(pipeline)
    check("check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", tmp_path / ".gitlab-ci.yml")


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_a_workflow_uses_what_there_is(workflow: str) -> None:
    ours = [step for step in steps(workflow) if "/winnow-ci@" in step.get("uses", "")]
    assert len(ours) == 1
    assert set(ours[0]["with"]) <= set(ACTION["inputs"])
    assert set(re.findall(r"steps\.winnow-ci\.outputs\.([\w-]+)", workflow)) <= set(ACTION["outputs"])
    for step in steps(workflow):
        assert step.get("uses", "@<commit>").endswith("@<commit>")


@pytest.mark.parametrize("workflow", [*WORKFLOWS, ORGANISATION[".github/workflows/winnow-ci.yml"], WORKFLOW_OF_INIT])
def test_a_workflow_looks_again_when_a_request_gets_another_target(workflow: str) -> None:
    """Its check would stay green, which a request for a branch that has the copy already had got."""
    text = yaml.safe_load(workflow)
    # To YAML, `on` is a boolean.
    requests = [event for name, event in text[True].items() if name.startswith("pull_request")]
    assert requests
    assert all("edited" in event["types"] for event in requests)
    assert not any("if" in job for name, job in text["jobs"].items() if name != "comment")


def test_the_index_that_a_workflow_makes_is_that_of_the_base(tmp_path: Path) -> None:
    (sync,) = [step["run"] for step in steps(WORKFLOWS[-1]) if "run" in step]
    *_, command = sync.strip().splitlines()
    project = Project.create(tmp_path)
    project.declare("{path: ../../../roads}")
    base = tmp_path / "work" / "base"
    shutil.copytree(project.root, base)
    assert winnow("index", "sync", "--manifest", "base/.winnow/sources.yml", cwd=base.parent).status == 0
    (base / ".winnow" / "index.db").unlink()
    program, *arguments = shlex.split(command)
    assert program == "$RUNNER_TEMP/sync/bin/winnow-ci"
    assert winnow(*arguments, cwd=base.parent).status == 0
    (ours,) = [step for step in steps(WORKFLOWS[-1]) if "/winnow-ci@" in step.get("uses", "")]
    assert (base.parent / ours["with"]["index"]).exists()


GH = """\
#!/bin/sh
# What GitHub would hold: the comment of each number in a file.
for argument; do last=$argument; done
case "$*" in
  *PATCH*) cp "${last#body=@}" "$SERVER/${5##*/}" ;;
  *POST*) cp "${last#body=@}" "$SERVER/42" ;;
  *) ls "$SERVER" ;;
esac
"""


def test_a_comment_is_made_once_and_then_updated(tmp_path: Path) -> None:
    (workflow,) = [text for text in WORKFLOWS if "pull-requests: write" in text]
    jobs = yaml.safe_load(workflow)["jobs"]
    assert [job["permissions"] for job in jobs.values()] == [{"contents": "read"}, {"pull-requests": "write"}]
    (script,) = [step["run"] for step in steps(workflow) if "run" in step]
    (tmp_path / "bin").mkdir()
    (tmp_path / "server").mkdir()
    (tmp_path / "bin" / "gh").write_text(GH)
    (tmp_path / "bin" / "gh").chmod(0o755)
    variables = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "SERVER": str(tmp_path / "server")}
    comment = tmp_path / "server" / "42"

    def said(report: str) -> str | None:
        (tmp_path / "winnow-ci.md").write_text(report)
        command = ["bash", "-eo", "pipefail", "-c", script]
        subprocess.run(command, cwd=tmp_path, env={**variables, "COMMENTS": "c", "NUMBER": "7"}, check=True)
        return comment.read_text() if comment.exists() else None

    assert said("## winnow-ci: no findings\n") is None
    assert said("## winnow-ci: 1 finding\n") == "## winnow-ci: 1 finding\n"
    # Of a line that does not fit, nothing is said: a name in it could become a link or a mention.
    assert said("## winnow-ci: 2 findings\n" + "é\n" * 9 + "`@x" * 20_000 + "\nmore\n") == (
        "## winnow-ci: 2 findings\n" + "é\n" * 9
    )
    full = "## winnow-ci: 3 findings\n" + "x" * 59_974 + "\n"
    assert said(full + "more\n") == full
    assert said("## winnow-ci: no findings\n") == "## winnow-ci: no findings\n"
    assert FORMATS["markdown"](CASES["none"], STYLE).startswith("## winnow-ci: no findings\n")
    assert 'startswith("## winnow-ci: ")' in script


def test_the_pipeline_s_command(tmp_path: Path) -> None:
    forge = Forge.create(tmp_path, dict(BASE), dict(CHANGE), {"other.py": "x = 1\n"})
    clone = forge.check_out(tmp_path / "clone", forge.pulled, 0)
    build(write_known(tmp_path / "source"), clone.root / ".winnow" / "index.db")
    (command,) = yaml.safe_load(PIPELINES[0])["winnow-ci"]["script"]
    program, *arguments = shlex.split(command)
    assert program == "winnow-ci"
    variables = {
        "GITLAB_CI": "true",
        "CI": "true",
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": forge.first,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_PROJECT_PATH": PROJECT,
        "CI_COMMIT_SHA": forge.pulled,
        "CI_PROJECT_PATH": PROJECT,
        "CI_PROJECT_DIR": str(clone.root),
    }
    ended = winnow(*arguments, cwd=clone.root, **variables)
    assert ended.status == 1, ended
    assert "(merge request): 3 files scanned" in ended.errors
    report = yaml.safe_load(PIPELINES[0])["winnow-ci"]["artifacts"]["reports"]["codequality"]
    assert (clone.root / report).read_text().startswith("[")
