"""Installs the tools that winnow-ci is compared with, each by version into a folder of its own.

    python benchmarks/quality/peers/install.py [DIR]

DIR is `PEERS_CACHE` in the environment, or ~/.cache/winnow-ci/peers. Each tool's folder also gets `versions.txt`, what
was installed with it. Exits with 1 if a tool could not be installed or does not run, after trying the others.
Scripts of npm packages do not run; Dolos' parsers, which come as source only, are then compiled with node-gyp.
sim needs Debian's apt-get and dpkg-deb, JPlag mvn and a JDK from version 17 on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PYTHON_TOOLS = {
    "copydetect": ("copydetect==0.5.0",),
    "compare50": ("compare50==1.2.15",),
    "scanoss": ("scanoss==1.54.3", "scanoss_winnowing==0.8.0"),
    "jscpd": ("jscpd==5.4.2",),
    "vendetect": ("vendetect==0.0.3", "copydetect==0.5.0"),
}
NODE_TOOLS = {"dolos": ("@dodona/dolos-lib@3.5.1",)}
DEBIAN_TOOLS = {"sim": ("similarity-tester=3.0.2-1+b1",)}
# The last version for Java 17. Its command is not in Maven's registry, but its library and its languages are.
MAVEN_TOOLS = {"jplag": tuple(f"de.jplag:{name}:4.3.0" for name in ("jplag", "cpp", "golang", "java", "python-3"))}
TOOLS = (*PYTHON_TOOLS, *NODE_TOOLS, *DEBIAN_TOOLS, *MAVEN_TOOLS)
TRIALS = {
    "copydetect": ("bin/python", "-c", "import copydetect"),
    "compare50": ("bin/python", "-c", "import compare50.passes"),
    "scanoss": ("bin/python", "-c", "import scanoss, scanoss_winnowing.winnowing"),
    "jscpd": ("bin/jscpd", "--version"),
    "vendetect": ("bin/vendetect", "--help"),
    "sim": ("usr/bin/sim_c", "-v"),
    "jplag": (shutil.which("javap") or "javap", "-cp", "lib/*:classes", "InJplag"),
    "dolos": (shutil.which("node") or "node", "-e", "import('@dodona/dolos-lib')"),
}
DOLOS_SOURCES = ("tree-sitter", "tree-sitter-compat", "@dodona/dolos-parsers")
IN_JPLAG = Path(__file__).parent / "inside" / "in_jplag.java"
VERSIONS = "versions.txt"


def cache() -> Path:
    """The folder that holds a folder for each tool."""
    return Path(os.environ.get("PEERS_CACHE") or Path.home() / ".cache/winnow-ci/peers").absolute()


def installed(home: Path) -> bool:
    return (home / VERSIONS).is_file()


def install(folder: Path) -> dict[str, str]:
    """Installs what is missing.

    Returns:
        Why not, for each tool that could not be installed.
    """
    failures = {}
    for tool in TOOLS:
        home = folder / tool
        try:
            if not installed(home):
                _install_afresh(tool, home)
        except (OSError, subprocess.CalledProcessError) as error:
            failures[tool] = (getattr(error, "stderr", None) or str(error)).strip()
    return failures


def _install_afresh(tool: str, home: Path) -> None:
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    versions = _way(tool)(tool, home)
    program, *arguments = TRIALS[tool]
    _run(str(home / program), *arguments, cwd=home)  # an absolute program stays as it is
    (home / VERSIONS).write_text(versions)


def _way(tool: str) -> Callable[[str, Path], str]:
    """How a tool is installed."""
    ways = {_install_python: PYTHON_TOOLS, _install_node: NODE_TOOLS, _install_debian: DEBIAN_TOOLS}
    return next((way for way, tools in ways.items() if tool in tools), _install_maven)


def _install_python(tool: str, home: Path) -> str:
    venv.create(home, with_pip=True)
    python = str(home / "bin/python")
    _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PYTHON_TOOLS[tool], cwd=home)
    return _run(python, "-m", "pip", "freeze", cwd=home)


def _install_node(tool: str, home: Path) -> str:
    (home / "package.json").write_text("{}\n")  # or npm looks for one in the folders above
    _run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", *NODE_TOOLS[tool], cwd=home)
    if tool == "dolos":
        for package in DOLOS_SOURCES:
            _compile(home / "node_modules" / package, home)
    return _run("npm", "ls", "--all", "--parseable", "--long", cwd=home)


def _install_debian(tool: str, home: Path) -> str:
    """Unpack the package, which needs no rights and changes nothing else."""
    _run("apt-get", "download", "--quiet", *DEBIAN_TOOLS[tool], cwd=home)
    for package in home.glob("*.deb"):
        _run("dpkg-deb", "--extract", package.name, ".", cwd=home)
    return "\n".join(DEBIAN_TOOLS[tool])


def _install_maven(tool: str, home: Path) -> str:
    fields = ("groupId", "artifactId", "version")
    parts = (zip(fields, name.split(":"), strict=True) for name in MAVEN_TOOLS[tool])
    wanted = ["".join(f"<{field}>{value}</{field}>" for field, value in part) for part in parts]
    listed = "".join(f"<dependency>{each}</dependency>" for each in wanted)
    head = "<modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>"
    (home / "pom.xml").write_text(f"<project>{head}<dependencies>{listed}</dependencies></project>\n")
    _run("mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib", cwd=home)
    _run("javac", "-cp", "lib/*", "-d", "classes", str(IN_JPLAG), cwd=home)
    return "\n".join(sorted(jar.name for jar in (home / "lib").iterdir()))


def _compile(package: Path, home: Path) -> None:
    """Compiles against this node: the binaries that some packages bring need other versions of node or libstdc++."""
    node = Path(shutil.which("node") or "node").resolve()
    prefix = node.parent.parent
    headers = [f"--nodedir={prefix}"] if (prefix / "include/node/node.h").is_file() else []
    _run(str(node), str(home / "node_modules/node-gyp/bin/node-gyp.js"), "rebuild", *headers, "-j", "2", cwd=package)


def _run(*command: str, cwd: Path) -> str:
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def main() -> None:
    folder = Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else cache()
    failures = install(folder)
    for tool in TOOLS:
        print(f"{tool}: {failures[tool]}" if tool in failures else f"{tool}: installed in {folder / tool}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
