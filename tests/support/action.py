"""The steps of ``action.yml``, run as a GitHub runner runs them: the scripts in the file, with their environment."""

from __future__ import annotations

import json
import re
import subprocess
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from support.command import environment
from support.forge import PROJECT
from support.payloads import AFTER, BEFORE, FROZEN_BASE, PULL_HEAD, QUEUE_BASE, QUEUE_HEAD, payload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from support.forge import Depth, Forge
    from support.repository import Checkout

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["id"]: step for step in ACTION["runs"]["steps"]}
_EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")
_VALUE = re.compile(
    r"(?:(?P<key>[^\n=<]+)=(?P<line>[^\n]*)|(?P<name>[^\n=<]+)<<(?P<end>[^\n]+)\n(?P<text>.*?)\n(?P=end))\n", re.DOTALL
)
LONGEST = 300
CONTEXT = {"server_url": "https://forge.example", "action_repository": "octo/winnow-ci", "action_ref": "v1"}
COPY = "src/planning.py"
ELSEWHERE = "src/logs.py"


@dataclass(frozen=True)
class Ran:
    """What a step leaves behind."""

    status: int
    log: str
    outputs: dict[str, str]
    summary: str


@dataclass
class Job:
    """A job on a runner: its folders, the event that it is for, and the outputs of its steps so far."""

    workspace: Path
    temporary: Path
    event: Mapping[str, str]
    inputs: Mapping[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)

    def run(self, step_id: str, **settings: str) -> Ran:
        """Run one step to its end."""
        step = STEPS[step_id]
        files = self.temporary / f"commands-{uuid.uuid4().hex}"
        files.mkdir(parents=True)
        paths = {name: files / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH")}
        for path in paths.values():
            path.touch()
        script = files / "script.sh"
        script.write_text(step["run"], encoding="utf-8")
        given = {
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(self.temporary),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(self.workspace),
            "CI": "true",
            **self.event,
            **{name: str(path) for name, path in paths.items()},
            **{name: self._evaluated(value) for name, value in step.get("env", {}).items()},
            **settings,
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace / self._evaluated(step.get("working-directory", ".")),
            env=environment(**given),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LONGEST,
            check=False,
        )
        outputs = _values(paths["GITHUB_OUTPUT"].read_text(encoding="utf-8"))
        self.outputs.update({f"steps.{step_id}.outputs.{name}": value for name, value in outputs.items()})
        assert paths["GITHUB_ENV"].read_text() == paths["GITHUB_PATH"].read_text() == ""
        summary = paths["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        return Ran(done.returncode, done.stdout.decode(), outputs, summary)

    def action_outputs(self) -> dict[str, str]:
        """The outputs of the action as a whole; one that is not set is empty."""
        return {name: self._evaluated(output["value"]) for name, output in ACTION["outputs"].items()}

    def _evaluated(self, text: str) -> str:
        return _EXPRESSION.sub(lambda found: self._value(found[1]), text)

    def _value(self, expression: str) -> str:
        if expression.startswith("inputs."):
            name = expression.removeprefix("inputs.")
            return self.inputs.get(name, ACTION["inputs"][name]["default"])
        if expression.startswith("github."):
            return CONTEXT[expression.removeprefix("github.")]
        assert expression.startswith("steps."), expression
        return self.outputs.get(expression, "")


@dataclass(frozen=True)
class Runner:
    """A runner on which the action is installed: checks out from a forge, and makes jobs for its events."""

    forge: Forge
    folder: Path
    index: Path
    python: str

    @property
    def ids(self) -> dict[str, str]:
        """What the ids of the payloads stand for here."""
        return {
            PULL_HEAD: self.forge.pulled,
            FROZEN_BASE: self.forge.first,
            BEFORE: self.forge.first,
            AFTER: self.forge.pulled,
            QUEUE_BASE: self.forge.moved_on,
            QUEUE_HEAD: self.forge.merge,
        }

    def check_out(self, commit: str, depth: Depth = 1, **options: str) -> Checkout:
        return self.forge.check_out(self.folder / "clone", commit, depth, **options)

    def job(self, clone: Path, event: Event, inputs: Mapping[str, str] | None = None) -> Job:
        """Make a job, with what the step ``install`` has made."""
        event_path = self.folder / "event.json"
        event_path.write_text(payload(event.file or event.name, {**self.ids, **event.ids}), encoding="utf-8")
        variables = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": event.name,
            "GITHUB_EVENT_PATH": str(event_path),
            "GITHUB_REPOSITORY": PROJECT,
            "GITHUB_SERVER_URL": CONTEXT["server_url"],
            "GITHUB_SHA": event.sha,
            "GITHUB_REF": event.ref,
        }
        given = {"index": str(self.index), "json-file": "report.json", **(inputs or {})}
        made = Job(clone, self.folder / "runner", variables, given)
        made.outputs["steps.install.outputs.python"] = self.python
        return made

    def scan(self, clone: Checkout, event: Event) -> Ran:
        """Run the scan of a job for an event."""
        return self.job(clone.root, event).run("scan")


@dataclass(frozen=True)
class Event:
    """An event: its name, the commit and the ref of the runner, and its payload with the ids that stand in it."""

    name: str
    sha: str
    ref: str = "refs/heads/main"
    file: str = ""
    ids: Mapping[str, str] = field(default_factory=dict)


def found(clone: Checkout) -> tuple[str | None, str | None, list[str]]:
    """Base, head and the paths with findings, by the JSON report in a checkout."""
    report = json.loads((clone.root / "report.json").read_text())
    return report["scan"]["base"], report["scan"]["head"], sorted({each["path"] for each in report["findings"]})


def _values(text: str) -> dict[str, str]:
    """Parse the file of outputs: ``name=value`` lines, and ``name<<END`` to ``END``."""
    found = list(_VALUE.finditer(text))
    assert "".join(value[0] for value in found) == text
    return {value["key"] or value["name"]: value["text"] if value["name"] else value["line"] for value in found}
