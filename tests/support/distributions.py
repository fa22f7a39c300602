"""What the repository says about the distributions that are made of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]


def read_toml(path: str) -> dict[str, Any]:
    """A file of the repository."""
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))


PROJECT: dict[str, Any] = read_toml("pyproject.toml")["project"]
_REQUIREMENTS = ROOT / "requirements"
HOOKS, TOOLS = _REQUIREMENTS / "hooks.txt", _REQUIREMENTS / "release-tools.txt"
LOCKS = sorted({*_REQUIREMENTS.iterdir()} - {HOOKS, TOOLS})


def locked(lock: Path) -> Iterator[tuple[Requirement, list[str]]]:
    """Each pin of a lock, with its hashes."""
    for line in lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        requirement, *hashes = line.split("--hash=")
        yield Requirement(requirement.strip()), [digest.strip() for digest in hashes]


def workflow_step(file: str, job: str, name: str) -> str:
    """The script of a step in a workflow."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / f"{file}.yml").read_text(encoding="utf-8"))
    (found,) = (step["run"] for step in workflow["jobs"][job]["steps"] if step.get("name") == name)
    return str(found)


def tracked(*folders: str) -> set[str]:
    """The files of the repository in these folders, also those that nobody has committed yet."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return {name for name in names if name and (ROOT / name).exists()}


def build(root: Path, folder: Path) -> None:
    """Make the sdist and, from it, the wheel, as `make dist` does, but with the tools that are installed here."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(root)]
    settings = {**os.environ, "SOURCE_DATE_EPOCH": "1800000000"}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
