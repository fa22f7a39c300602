"""The workflows of this repository and its image are well formed, safe, and do what docs/releasing.md says."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

import pytest
import yaml

from support.command import build as build_index
from support.distributions import PROJECT, ROOT, workflow_step
from support.donor import write_known
from winnow_ci.config.settings import load_settings
from winnow_ci.fetching.channels import _verified

FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS: dict[str, dict[str, Any]] = {file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in FILES}
PINNED = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


def check(program: str, *arguments: str | Path) -> None:
    command = [Path(sys.executable).with_name(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_they_are_valid_and_safe() -> None:
    assert set(WORKFLOWS) >= {"copies", "docs", "indexes", "kernel-wheels", "release", "tests"}
    check("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *FILES)
    check("zizmor", "--offline", "--persona=auditor", "--no-progress", *FILES)


def test_actions_are_pinned_and_each_to_one_commit() -> None:
    found: dict[str, set[str]] = {}
    for file in FILES:
        for line in re.findall(r"uses: (?!\$/).*", file.read_text(encoding="utf-8")):
            assert PINNED.match(line), f"{file.name}: {line}"
            name, _, commit = line.removeprefix("uses: ").partition("@")
            found.setdefault(name, set()).add(commit)
    assert all(len(commits) == 1 for commits in found.values()), found


def test_the_tests_run_on_every_python_that_the_project_names() -> None:
    named = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)}
    tried = WORKFLOWS["release"]["jobs"]["try"]["strategy"]["matrix"]["python"]
    tests = WORKFLOWS["tests"]["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert set(tried) == {*tests, "3.11"} == named


def test_nothing_is_published_that_was_not_tried_and_agreed_to() -> None:
    jobs = WORKFLOWS["release"]["jobs"]
    publishes = {name for name, job in jobs.items() if "pypi-publish" in str(job)}
    assert publishes == {"publish"}
    assert (jobs["publish"]["needs"], jobs["publish"]["environment"], jobs["try"]["needs"]) == ("try", "pypi", "build")
    assert all(job["needs"] == "publish" for name, job in jobs.items() if name in {"announce", "image"})
    kernel = WORKFLOWS["kernel-wheels"]["jobs"]["publish"]
    assert (kernel["needs"], kernel["environment"]) == (["wheel", "sdist"], "pypi")
    assert kernel["if"] == "github.ref_type == 'tag'"


def test_an_index_is_signed_with_the_key_of_who_publishes_it(tmp_path: Path) -> None:
    build, publish = (WORKFLOWS["indexes"]["jobs"][name] for name in ("build", "publish"))
    assert "make indexes" in str(build)
    assert (publish["needs"], publish["if"]) == ("build", "github.ref == 'refs/heads/main'")
    sign = workflow_step("indexes", "publish", "Sign")
    key, index = tmp_path / "theirs", tmp_path / "python.db"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    build_index(write_known(tmp_path / "source"), index)
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "winnow-ci").symlink_to(Path(sys.executable).with_name("winnow-ci"))
    settings = {
        "SIGNING_KEY": key.read_text().rstrip("\n"),
        "RUNNER_TEMP": str(tmp_path),
        "PLACE": "https://example.org/7",
    }
    subprocess.run(["bash", "-e", "-c", sign], cwd=tmp_path, env={**os.environ, **settings}, check=True)
    assert not (tmp_path / "key").exists()
    content = (tmp_path / "python.channel").read_bytes()
    state = _verified(content, "the channel", [key.with_suffix(".pub").read_text().strip()])
    assert state.mirrors == ("https://example.org/7/python.db",)
    assert state.sha256 == hashlib.sha256(index.read_bytes()).hexdigest()


def test_a_change_is_looked_up_in_the_index_of_its_base() -> None:
    job = WORKFLOWS["copies"]["jobs"]["copies"]
    base, index, ours = job["steps"][1]["with"], job["steps"][2]["run"], job["steps"][3]
    assert base["ref"] == "${{ github.event.pull_request.base.sha || github.sha }}"
    assert (ours["uses"], ours["with"]["index"]) == ("$/", f"{base['path']}/.winnow/index.db")
    assert index == f"make index MANIFEST={base['path']}/.winnow/sources.yml"


def test_the_lock_of_the_own_index_has_what_its_manifest_names() -> None:
    manifest, lock = (yaml.safe_load((ROOT / ".winnow" / f"sources.{kind}").read_text()) for kind in ("yml", "lock"))
    assert manifest["sources"]
    assert sorted(manifest["sources"]) == sorted(source["purl"] for source in lock["sources"])
    assert all(source["pinned"]["artifacts"][0]["sha256"] for source in lock["sources"])


def test_the_own_configuration_and_hooks_are_valid() -> None:
    settings = load_settings(ROOT / ".winnow.yml")
    assert settings.index == (ROOT / ".winnow" / "index.db",)
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-config", ROOT / ".pre-commit-config.yaml"], check=False
    )
    assert done.returncode == 0


def test_the_image_is_well_formed() -> None:
    program = which("hadolint", path=str(Path(sys.executable).parent)) or which("hadolint")
    if not program:
        pytest.skip("there is no hadolint")
    done = subprocess.run([program, ROOT / "Containerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
