"""Recipes for Homebrew and conda-forge, from the templates in packaging/ and what is in dist/.

Nothing stands twice: name, version, licence and requirements come from the sources as published, in build/release/, and
each resource of the formula from the lock. Only its address is asked for, with uv.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from checking import read

FORMULA, RECIPE = "homebrew/winnow-ci.rb", "conda-forge/recipe.yaml"
# What Homebrew builds itself: it takes an hour from its sources.
FORMULAE = {"numpy"}
KERNEL = "winnow-ci-kernel"
# What has another name on conda-forge, or is not there.
CONDA = {"xxhash": "python-xxhash", KERNEL: ""}
PURE = r"[.-]py3-none-any\.whl$"
RESOURCE = '  resource "{name}" do\n    url "{url}"\n    sha256 "{sha256}"\n  end'
PYTHON = "3.13"


def write_recipes(root: Path, folder: Path) -> None:
    staged = root / "build" / "release"
    whole = toml(staged / "pyproject.toml")
    project, (sdist,) = whole["project"], (root / "dist").glob("winnow_ci-*.tar.gz")
    values = {
        "VERSION": read(root).version,
        "OWNER": read(root).owner,
        "SOURCE": project["urls"]["Source"],
        "SHA256": hashlib.sha256(sdist.read_bytes()).hexdigest(),
        "LICENSE": project["license"],
        "SUMMARY": project["description"].removesuffix("."),
        "BUILD": listed(whole["build-system"]["requires"]),
        "DEPENDENCIES": listed(project["dependencies"]),
        "RESOURCES": "\n\n".join(resources(root, staged)),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for template in (FORMULA, RECIPE):
        text = (root / "packaging" / template).read_text(encoding="utf-8")
        filled = re.sub(r"@([A-Z0-9]+)@", lambda found: values[found[1]], text)
        (folder / Path(template).name).write_text(filled, encoding="utf-8")


def listed(requirements: list[str]) -> str:
    """Requirements as conda names them; a package for every Python has no markers."""
    lines = []
    for name, versions in (re.match(r"([\w.-]+)([^;]*)", one).groups() for one in requirements):  # type: ignore[union-attr]
        if named := CONDA.get(name.lower(), name.lower()):
            lines.append(f"    - {named} {versions}".rstrip())
    return "\n".join(lines)


def resources(root: Path, staged: Path) -> list[str]:
    """Each distribution that is locked, with the address of its sdist."""
    lock = staged / "pylock.toml"
    command = [Path(sys.executable).with_name("uv"), "pip", "compile", "--quiet", "--python-version", PYTHON]
    command += ["--constraints", root / "requirements" / "winnow-ci.txt", "--format", "pylock.toml"]
    subprocess.run([*command, "--output-file", lock, staged / "pyproject.toml"], check=True)
    return [resource(package) for package in toml(lock)["packages"] if package["name"] not in FORMULAE]


def resource(package: dict[str, Any]) -> str:
    """The wheel of pure Python, which Homebrew takes, too; where there is none, and for the kernel, the sdist."""
    pure = [wheel for wheel in package.get("wheels", ()) if re.search(PURE, wheel["url"])]
    file = pure[0] if pure and package["name"] != KERNEL else package["sdist"]
    return RESOURCE.format(name=package["name"], url=file["url"], sha256=file["hashes"]["sha256"])


def toml(file: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(file.read_text(encoding="utf-8"))
