"""Installs the tools that winnow-ci is compared with, each by version into a folder of its own.

    python benchmarks/quality/peers/install.py [DIR]

DIR is `PEERS_CACHE` in the environment, or ~/.cache/winnow-ci/peers. Each tool's folder also gets `versions.txt`, what
was installed with it. Exits with 1 if a tool could not be installed or does not run, after trying the others.
Scripts of npm packages do not run; Dolos' parsers, which come as source only, are then compiled with node-gyp.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

PYTHON_TOOLS = {
    "copydetect": ("copydetect==0.5.0",),
    "compare50": ("compare50==1.2.15",),
    "scanoss": ("scanoss==1.54.3", "scanoss_winnowing==0.8.0"),
}
NODE_TOOLS = {"jscpd": ("jscpd@5.3.3",), "dolos": ("@dodona/dolos-lib@3.5.1",)}
TRIALS = {
    "copydetect": ("bin/python", "-c", "import copydetect"),
    "compare50": ("bin/python", "-c", "import compare50.passes"),
    "scanoss": ("bin/python", "-c", "import scanoss, scanoss_winnowing.winnowing"),
    "jscpd": ("node_modules/.bin/jscpd", "--version"),
    "dolos": (shutil.which("node") or "node", "-e", "import('@dodona/dolos-lib')"),
}
DOLOS_SOURCES = ("tree-sitter", "tree-sitter-compat", "@dodona/dolos-parsers")
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
    for tool in (*PYTHON_TOOLS, *NODE_TOOLS):
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
    versions = _install_python(tool, home) if tool in PYTHON_TOOLS else _install_node(tool, home)
    program, *arguments = TRIALS[tool]
    _run(str(home / program), *arguments, cwd=home)  # an absolute program stays as it is
    (home / VERSIONS).write_text(versions)


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
    for tool in (*PYTHON_TOOLS, *NODE_TOOLS):
        print(f"{tool}: {failures[tool]}" if tool in failures else f"{tool}: installed in {folder / tool}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
