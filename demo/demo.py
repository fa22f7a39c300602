"""Shows winnow-ci at work on real code, in a throwaway repository.

An index is built from packages that are installed here anyway; a branch gets code pasted from two of them, one piece
as it is and one with its variables renamed, and a file that is nobody else's; then the branch is scanned.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from importlib import metadata
from pathlib import Path

from winnow_ci.native import kernel

PROJECT = Path(__file__).resolve().parent.parent
DEMO = Path(".demo")
REPOSITORY = DEMO / "shop"
INDEX = DEMO / "known-code.db"
COMMAND = Path(sys.executable).with_name("winnow-ci")

# distribution, its module, licence if its metadata does not tell as an SPDX expression
PACKAGES = (("GitPython", "git", "BSD-3-Clause"), ("tqdm", "tqdm", "MPL-2.0 AND MIT"), ("PyYAML", "yaml", "MIT"))
PASTED = ("git.util", "stream_copy", "rmtree")
RENAMED = ("tqdm.std", "tqdm.format_meter")
INNOCENT = '''\
"""Prices of a small shop."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Line:
    article: str
    pieces: int
    price: Decimal


def total(lines, discounts, shipping=Decimal("4.90"), free_from=Decimal(60)):
    """What a customer pays: articles less discounts, and shipping for small orders."""
    goods = Decimal(0)
    for line in lines:
        share = discounts.get(line.article, Decimal(0))
        goods += line.pieces * line.price * (1 - share)
    if goods >= free_from:
        return goods.quantize(Decimal("0.01"))
    return (goods + shipping).quantize(Decimal("0.01"))
'''


def main() -> None:
    os.chdir(PROJECT)
    shutil.rmtree(DEMO, ignore_errors=True)
    REPOSITORY.mkdir(parents=True)
    say("An index of known code, built from packages installed here:")
    for distribution, module, licence in PACKAGES:
        build_index(distribution, module, licence)
    show("winnow-ci", "index", "list", str(INDEX))
    make_branch()
    say(
        f"A branch that adds three files: src/files.py has code pasted from {PASTED[0]}, src/progress.py has\n"
        f"{RENAMED[1]} from {RENAMED[0]} with its variables renamed, src/prices.py is new. What does winnow-ci say?"
    )
    status = show("winnow-ci", "scan", "--since", "main", "--index", "../known-code.db", cwd=REPOSITORY)
    say(f"Exit status {status}: a check in CI would fail here. The repository is in {REPOSITORY}.")
    if kernel() is None:
        say("This ran without the kernel, which does the same several times as fast: make kernel builds it with cargo.")


def build_index(distribution: str, module: str, licence: str) -> None:
    about = metadata.metadata(distribution)
    folder = Path(inspect.getfile(importlib.import_module(module))).parent
    if folder.is_relative_to(PROJECT):
        folder = folder.relative_to(PROJECT)
    licence = about["License-Expression"] or licence
    arguments = ("--output", str(INDEX), "--name", distribution, "--version", about["Version"], "--license", licence)
    show("winnow-ci", "index", "build", str(folder), *arguments, "--with-text")


def make_branch() -> None:
    git("init", "--quiet", "--initial-branch", "main")
    write("README.md", "# A shop\n")
    commit("Start")
    git("switch", "--quiet", "--create", "progress")
    write("src/files.py", "import os\n\n\n" + "\n\n".join(source(PASTED[0], name) for name in PASTED[1:]))
    write("src/progress.py", '"""How far we are."""\n\n\n' + renamed(source(*RENAMED)))
    write("src/prices.py", INNOCENT)
    commit("Show progress")


def source(module: str, name: str) -> str:
    value = importlib.import_module(module)
    for part in name.split("."):
        value = inspect.getattr_static(value, part)
    return textwrap.dedent(inspect.getsource(getattr(value, "__func__", value)))


def renamed(code: str) -> str:
    """The same function with other names for its parameters and variables, as who covers a copy up would do it."""
    function = ast.parse(code).body[0]
    parameters = (node.arg for node in ast.walk(function) if isinstance(node, ast.arg))
    stored = (n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    names = {name: f"v{number}" for number, name in enumerate(dict.fromkeys((*parameters, *stored)))}
    return re.sub(r"(?<![.'\"])\b[a-z_]\w*\b", lambda match: names.get(match[0], match[0]), code)


def write(path: str, text: str) -> None:
    target = REPOSITORY / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def commit(message: str) -> None:
    git("add", "--all")
    git("-c", "user.name=Demo", "-c", "user.email=demo@example.org", "commit", "--quiet", "--message", message)


def git(*arguments: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", *arguments], cwd=REPOSITORY, check=True, env=environment)


def show(command: str, *arguments: str, cwd: Path | None = None) -> int:
    print(f"$ {shlex.join((command, *arguments))}", flush=True)
    return subprocess.run([COMMAND, *arguments], cwd=cwd, check=False).returncode


def say(text: str) -> None:
    print(f"\n{textwrap.indent(text, '# ')}\n", flush=True)


if __name__ == "__main__":
    main()
