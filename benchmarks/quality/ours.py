"""winnow-ci as a detector: its commands, as a team would run them on a pull request."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from contract import Overlap

WINNOW = (sys.executable, "-m", "winnow_ci")
GIT = ("git", "-c", "user.name=q", "-c", "user.email=q@localhost", "-c", "core.autocrlf=false", "-c", "gc.auto=0")


def run(*command: str, cwd: Path | None = None) -> str:
    """What a command prints. Any status but 0 and 1 ends the benchmark."""
    done = subprocess.run(command, cwd=cwd, check=False, capture_output=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return done.stdout.decode()


def detect(round_: Path, work: Path) -> list[Overlap]:
    """What a scan of the round's change reports: the first source of each finding, the others as ``also``."""
    return [overlap(finding) for finding in findings(round_, work)]


def detect_strong(round_: Path, work: Path) -> list[Overlap]:
    """The same without findings that are weak evidence."""
    return [overlap(finding) for finding in findings(round_, work) if finding.get("strength") != "weak"]


def findings(round_: Path, work: Path) -> list[dict]:
    """What a scan of the round's change reports, as JSON."""
    index = index_of(round_ / "known", work)
    repository = made_repository(round_, work / f"{round_.name}-repository")
    report = json.loads(
        run(*WINNOW, "scan", "--range", "HEAD~1..HEAD", "--format", "json", "--index", str(index), cwd=repository)
    )
    skipped = [skip for skip in report["scan"]["files_skipped"] if skip.get("state") == "not-scanned"]
    if skipped:
        print(f"{round_.name}: not scanned: {skipped}", file=sys.stderr)
    shutil.rmtree(repository)
    return list(report["findings"])


def made_repository(round_: Path, folder: Path) -> Path:
    """A repository whose last commit is the round's change."""
    shutil.rmtree(folder, ignore_errors=True)
    run(*GIT, "init", "--quiet", str(folder))
    for name in ("base", "changed"):
        shutil.copytree(round_ / name, folder, dirs_exist_ok=True)
        run(*GIT, "add", "--all", "--force", cwd=folder)
        run(*GIT, "commit", "--quiet", "--message", name, cwd=folder)
    return folder


def index_of(known: Path, work: Path, *options: str) -> Path:
    """An index with each project below a folder as one source; made once for the same files, options and program."""
    files = sorted(path for path in known.rglob("*") if path.is_file())
    listed = "\n".join(f"{path.relative_to(known)} {path.stat().st_size}" for path in files)
    key = "\n".join((listed, *options, program()))
    index = work / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.db"
    if not index.exists():
        unfinished = index.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        for project in sorted(known.iterdir()):
            _add(project, unfinished, *options)
        unfinished.rename(index)
    return index


def _add(project: Path, index: Path, *options: str) -> None:
    """Add a project to an index; one of a few tokens has nothing that an index keeps."""
    command = (*WINNOW, "index", "build", str(project), "--output", str(index), "--name", project.name, *options)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode and "nothing to fingerprint" not in done.stderr:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")


@lru_cache
def program() -> str:
    """What the installed winnow_ci consists of, its tables too; it is looked for, not imported."""
    folder = Path(find_spec("winnow_ci").origin).parent
    files = (file for file in sorted(folder.rglob("*")) if file.suffix in (".py", ".npy"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def overlap(finding: dict) -> Overlap:
    source = finding["source"]
    others = tuple(_known(other) for other in finding["also_in"])
    here = finding["path"], finding["start_line"], finding["end_line"]
    return Overlap(*here, _known(source), source["start_line"], source["end_line"], others)


def _known(source: dict) -> str:
    return f"{source['name']}/{source['path']}"
