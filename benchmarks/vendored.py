"""A real case: a change that adds pip's `_vendor` and `_internal` folders, looked up in the projects that pip vendors.

    python benchmarks/vendored.py

Downloads pip and the versions that its own `vendor.txt` names as wheels, from wherever pip is configured to look. Every
vendored module of at least 100 tokens should be found and attributed to its own project; what is found in `_internal`
is printed for inspection.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

from process import WINNOW, run

from winnow_ci.languages import tokenize

PIP = "26.3"
# pip keeps the package of setuptools that it needs under that package's own name.
PROJECTS = {"pkg_resources": "setuptools"}
LEAST = 100


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        pip = wheel(f"pip=={PIP}", work) / "pip"
        index = work / "vendored.db"
        for requirement in requirements((pip / "_vendor" / "vendor.txt").read_text()):
            source = wheel(requirement, work)
            name, _, version = requirement.partition("==")
            run(*WINNOW, "index", "build", str(source), "--output", str(index), "--name", name, "--version", version)
        report = scan(pip, index, work / "repository")
        tell(report, pip)


def requirements(text: str) -> list[str]:
    return re.findall(r"^ *([\w.-]+==[\w.]+)", text, re.MULTILINE)


def wheel(requirement: str, work: Path) -> Path:
    """Download and unpack a wheel; the nearest version if that one is not available."""
    target = work / requirement
    for wanted in (requirement, requirement.partition("==")[0]):
        command = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:")
        if subprocess.run([*command, "--dest", target, wanted], check=False, capture_output=True).returncode == 0:
            break
        print(f"{wanted} is not to be had, taking another version", file=sys.stderr)
    for file in target.glob("*.whl"):
        zipfile.ZipFile(file).extractall(target)
        file.unlink()
    return target


def scan(pip: Path, index: Path, repository: Path) -> dict:
    for part in ("_vendor", "_internal"):
        shutil.copytree(pip / part, repository / part)
    run("git", "init", "--quiet", str(repository))
    return json.loads(run(*WINNOW, "scan", "--all", "--format", "json", "--index", str(index), cwd=repository))


def tell(report: dict, pip: Path) -> None:
    findings = defaultdict(list)
    for finding in report["findings"]:
        findings[finding["path"]].append(finding)
    outcome: Counter[str] = Counter()
    for module in sorted((pip / "_vendor").rglob("*.py")):
        path = module.relative_to(pip).as_posix()
        if len(tokenize("python", module.read_bytes())) >= LEAST and path.count("/") > 1:
            outcome[judged(path, findings[path])] += 1
    print(", ".join(f"{count} {what}" for what, count in outcome.items()))
    for path, found in findings.items():
        for finding in found if path.startswith("_internal/") else ():
            source = finding["source"]
            where = f"{path}:{finding['start_line']}-{finding['end_line']}"
            print(f"{finding['kind']:8} {finding['tokens']:4} tokens  {where}  {source['name']} {source['path']}")


def judged(path: str, findings: list[dict]) -> str:
    package = path.split("/")[1].removesuffix(".py")
    names = {finding["source"]["name"].lower().replace("-", "_") for finding in findings}
    if not names:
        print("not found:", path)
        return "not found"
    if names != {PROJECTS.get(package, package)}:
        print("wrong source:", path, names)
        return "attributed to another project"
    return "found and attributed to their own project"


if __name__ == "__main__":
    main()
