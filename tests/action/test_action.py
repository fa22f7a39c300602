"""The action as such: installation, inputs, outputs, summary, and that it is well formed."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import winnow_ci
from support.action import ACTION, COPY, ROOT, STEPS, Event, Job, Runner
from support.runner import commands
from support.wheels import tiny_wheel

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.action import Ran
    from support.repository import Checkout


@pytest.fixture
def clone(runner: Runner) -> Checkout:
    return runner.check_out(runner.forge.merge, 2)


@pytest.fixture
def pull(runner: Runner, clone: Checkout) -> Callable[..., Job]:
    """Make a job for the pull request, with these inputs."""

    def make(root: Path = clone.root, **inputs: str) -> Job:
        given = {"json-file": "", **{name.replace("_", "-"): value for name, value in inputs.items()}}
        return runner.job(root, Event("pull_request", runner.forge.merge, "refs/pull/7/merge"), given)

    return make


# ---- installation ----------------------------------------------------------------------------------------------


def test_it_is_installed_from_the_action_s_own_checkout(installation: Ran) -> None:
    assert installation.status == 0, installation
    python = Path(installation.outputs["python"])
    program = "import winnow_ci; print(winnow_ci.__file__)"
    done = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert Path(done.stdout).is_relative_to(python.parents[1])


def test_an_old_python_is_refused(tmp_path: Path) -> None:
    old = tmp_path / "python2.7"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    ran = Job(tmp_path, tmp_path / "runner", {}, {"python": str(old)}).run("install")
    assert ran.status == 2
    assert [command.data for command in commands(ran.log)] == [
        "winnow-ci needs Python 3.10 or newer; name one in the input 'python'"
    ]


PYTHON = """\
#!/bin/sh
case "$*" in
  *"-m venv"*) for argument; do last=$argument; done; mkdir -p "$last/bin" && cp "$0" "$last/bin/python" ;;
  *sysconfig*) dirname "$0" ;;
  *"-m pip install"*) for argument; do case "$argument" in --requirement=*) echo "${argument##*/}" ;; esac done ;;
esac
"""


@pytest.fixture
def fake_python(tmp_path: Path) -> str:
    """A program that is called like Python, and prints only which locks pip would install."""
    (tmp_path / "runner").mkdir()
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    return str(python)


@pytest.mark.parametrize(
    ("extras", "locks"),
    [
        ("", ["winnow-ci.txt"]),
        ("postgresql", ["winnow-ci.txt", "postgresql.txt"]),
        ("postgresql,cyclonedx", ["winnow-ci.txt", "postgresql.txt", "cyclonedx.txt"]),
    ],
)
def test_extras_are_installed_with_it(tmp_path: Path, fake_python: str, extras: str, locks: list[str]) -> None:
    ran = Job(tmp_path, tmp_path / "runner", {}, {"python": fake_python, "extras": extras}).run("install")
    assert (ran.status, ran.log.splitlines()) == (0, locks)


@pytest.mark.parametrize("extras", ["spark", "kernel"])
def test_extras_that_are_not_locked_are_refused(tmp_path: Path, fake_python: str, extras: str) -> None:
    ran = Job(tmp_path, tmp_path / "runner", {}, {"python": fake_python, "extras": extras}).run("install")
    assert ran.status == 2
    assert f"no locked dependencies for the extra '{extras}'" in ran.log


def test_nothing_is_installed_but_what_the_lock_names_by_its_hash(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path / "wheels")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    action = tmp_path / "action"
    (action / "src" / "winnow_ci").mkdir(parents=True)
    lock = action / "requirements" / "winnow-ci.txt"
    lock.parent.mkdir()

    def install(text: str) -> Ran:
        lock.write_text(text)
        settings = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent), "GITHUB_ACTION_PATH": str(action)}
        return Job(tmp_path, tmp_path / "runner", {}, {"python": sys.executable}).run("install", **settings)

    (tmp_path / "runner").mkdir()
    done = install(f"tiny==1.0 --hash=sha256:{digest}\n")
    assert done.status == 0, done
    packages = next(Path(done.outputs["python"]).parents[1].glob("lib/python*/site-packages"))
    # It depends on something that is nowhere, so nothing was resolved; and pip is not in the environment.
    assert {path.name for path in packages.iterdir()} == {"tiny.py", "tiny-1.0.dist-info", "winnow_ci"}
    for text in (f"tiny==1.0 --hash=sha256:{'0' * 64}\n", "tiny==1.0\n"):
        refused = install(text)
        assert refused.status == 2, refused
        assert "winnow-ci could not be installed; the log says why" in refused.log
        assert refused.outputs == {}


def test_what_is_installed_fits_together(installation: Ran) -> None:
    command = [Path(sys.executable).with_name("uv"), "pip", "check", "--python", installation.outputs["python"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"Checked 2\d packages", done.stderr), done.stderr


def test_its_version_is_told(installation: Ran) -> None:
    python = Path(installation.outputs["python"])
    done = subprocess.run([python, "-I", "-m", "winnow_ci", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"winnow-ci {winnow_ci.__version__} ")


@pytest.mark.parametrize("extras", ["a] evil", "a;b", "a b", "--editable", "A"])
def test_extras_are_names(tmp_path: Path, extras: str) -> None:
    ran = Job(tmp_path, tmp_path / "runner", {}, {"python": "/nowhere", "extras": extras}).run("install")
    assert ran.status == 2
    assert "the input 'extras' is no list of names" in ran.log


def test_modules_of_the_checkout_are_not_imported(pull: Callable[..., Job], clone: Checkout) -> None:
    for module in ("json", "winnow_ci", "numpy", "sitecustomize"):
        clone.write(f"{module}.py", "raise SystemExit('imported')\n")
    ran = pull().run("scan", PYTHONPATH=str(clone.root), PYTHONSTARTUP=str(clone.root / "json.py"))
    assert ran.status == 1, ran
    assert "imported" not in ran.log


# ---- outputs ---------------------------------------------------------------------------------------------------


def test_outputs_and_summary(pull: Callable[..., Job], clone: Checkout, runner: Runner) -> None:
    made = pull(sarif_file="winnow.sarif", json_file="out report.json")
    ran = made.run("scan")
    assert ran.status == 1, ran
    report = json.loads((clone.root / "out report.json").read_text())
    assert made.action_outputs() == {
        "findings": str(len(report["findings"])),
        "exit-code": "1",
        "base-sha": runner.forge.moved_on,
        "sarif-file": str(clone.root / "winnow.sarif"),
        "json-file": str(clone.root / "out report.json"),
    }
    assert json.loads((clone.root / "winnow.sarif").read_text())["version"] == "2.1.0"
    base = f"https://forge.example/octo/widget/blob/{report['scan']['head']}/{COPY}#L"
    assert all(f"[`{COPY}:{one['start_line']}-{one['end_line']}`]({base}" in ran.summary for one in report["findings"])
    (run,) = json.loads((clone.root / "winnow.sarif").read_text())["runs"]
    assert run["tool"]["driver"]["rules"][0]["helpUri"] == (
        "https://forge.example/octo/winnow-ci/blob/v1/docs/rules/copied-verbatim.md"
    )
    errors = [command for command in commands(ran.log) if command.name == "error"]
    assert {command.properties["file"] for command in errors} == {COPY}


def test_the_markdown_of_the_summary_in_a_file(pull: Callable[..., Job], clone: Checkout) -> None:
    ran = pull(markdown_file="found.md").run("scan")
    assert (clone.root / "found.md").read_text() == ran.summary.removeprefix("\n")


def test_a_scan_that_fails_leaves_a_summary_that_says_why(pull: Callable[..., Job], clone: Checkout) -> None:
    ran = pull(index="nowhere.db", markdown_file="found.md").run("scan")
    assert ran.status == 3
    assert ran.summary.startswith("\n## winnow-ci: could not scan\n")
    assert "nowhere.db" in ran.summary
    assert (clone.root / "found.md").read_text() == ran.summary.removeprefix("\n")


def test_findings_that_do_not_fail(pull: Callable[..., Job]) -> None:
    made = pull(fail="false")
    assert made.run("scan").status == 0
    assert made.action_outputs()["exit-code"] == "0"
    assert int(made.action_outputs()["findings"]) > 0


def test_a_report_that_lies_in_the_checkout_is_not_taken_for_ours(
    pull: Callable[..., Job], clone: Checkout, tmp_path: Path
) -> None:
    secret = tmp_path / "profile"
    secret.write_text("as it was\n")
    clone.write("winnow.sarif", '{"runs": []}')
    (clone.root / "report.json").symlink_to(secret)
    made = pull(index="none.db", sarif_file="winnow.sarif", json_file="report.json")
    assert made.run("scan").status == 3
    assert made.action_outputs()["sarif-file"] == made.action_outputs()["json-file"] == ""
    assert not (clone.root / "winnow.sarif").exists()
    assert pull(json_file="report.json").run("scan").status == 1
    assert secret.read_text() == "as it was\n"


# ---- inputs ----------------------------------------------------------------------------------------------------


def test_paths_one_a_line(pull: Callable[..., Job]) -> None:
    assert pull(paths="tests\n").run("scan").status == 2
    assert pull(paths="src/plan.py\n").run("scan").status == 0
    assert pull(paths=f"src/plan.py\n\n{COPY}\n").run("scan").status == 1


def test_a_base_wins_over_the_event(pull: Callable[..., Job], runner: Runner) -> None:
    made = pull(base="HEAD^1")
    ran = made.run("scan")
    assert ran.status == 1, ran
    assert "against the work tree" in ran.log
    assert made.action_outputs()["base-sha"] == runner.forge.moved_on


def test_another_configuration(pull: Callable[..., Job], clone: Checkout) -> None:
    clone.write("ci/lenient.yml", "policy:\n  allow: ['GPL-*']\n")
    assert pull(config="ci/lenient.yml").run("scan").status == 0
    assert pull(config="ci/none.yml").run("scan").status == 2


def test_whose_rules_apply(pull: Callable[..., Job], clone: Checkout) -> None:
    clone.commit({".winnow.yml": "policy:\n  allow: ['GPL-*']\n"})
    assert pull(base="HEAD~2").run("scan").status == 1
    assert pull(base="HEAD~2", policy_from="base").run("scan").status == 1
    assert pull(base="HEAD~2", policy_from="head").run("scan").status == 0
    assert pull(policy_from="nobody").run("scan").status == 2


def test_another_folder(pull: Callable[..., Job], clone: Checkout) -> None:
    made = pull(clone.root.parent, working_directory="clone", json_file="report.json")
    assert made.run("scan").status == 1
    assert made.action_outputs()["json-file"] == str(clone.root / "report.json")


@pytest.mark.parametrize("value", ["", "True", "$(touch x)"])
def test_fail_is_true_or_false(pull: Callable[..., Job], value: str) -> None:
    ran = pull(fail=value).run("scan")
    assert ran.status == 2
    assert "the input 'fail' is neither true nor false" in ran.log
    assert "the input 'fail' is neither true nor false" in ran.summary


@pytest.mark.parametrize(
    "value", ["$(touch planted)", "`touch planted`", "x; touch planted", '"; touch planted #', "--help"]
)
def test_inputs_are_no_shell_and_no_options(pull: Callable[..., Job], clone: Checkout, value: str) -> None:
    names = ("index", "paths", "base", "config", "policy_from", "sarif_file", "json_file")
    ran = pull(**dict.fromkeys(names, value)).run("scan")
    assert ran.status in {2, 3}, ran
    assert "usage:" not in ran.log
    assert not (clone.root / "planted").exists()


# ---- form ------------------------------------------------------------------------------------------------------


def test_no_script_has_an_expression() -> None:
    for step in STEPS.values():
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"


def test_names_are_in_kebab_case_and_described() -> None:
    for name, described in [*ACTION["inputs"].items(), *ACTION["outputs"].items()]:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert described["description"]


def test_the_marketplace_takes_it() -> None:
    assert re.fullmatch(r"[\w -]+", ACTION["name"])
    assert len(ACTION["description"]) <= 125
    assert ACTION["branding"]["color"] in {
        "white", "black", "yellow", "blue", "green", "orange", "red", "purple", "gray-dark"
    }  # fmt: skip
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", ACTION["branding"]["icon"])


def test_every_input_and_output_is_documented() -> None:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    for name in [*ACTION["inputs"], *ACTION["outputs"]]:
        assert f"| `{name}` |" in text


def test_the_checkers_find_nothing() -> None:
    for check in (
        ("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"),
        ("zizmor", "--offline", "--persona=auditor", "--no-progress", "action.yml"),
    ):
        program = Path(sys.executable).with_name(check[0])
        done = subprocess.run([program, *check[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
