"""Write a first configuration.

Write a first .winnow.yml at the root of the repository. Existing files stay as they are.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from winnow_ci import git
from winnow_ci.config import CONFIGURATION, MANIFEST, NEW_INDEX
from winnow_ci.config.manifest import STARTERS, languages_of
from winnow_ci.errors import UsageError

HOOKS = ".pre-commit-config.yaml"
WORKFLOW = ".github/workflows/winnow-ci.yml"

CONFIGURATION_TEXT = f"""\
# What winnow-ci scans in this repository, and how it judges copies. A mistake in this file is an error that names the
# line. Every key has a default.

# Indexes of known code: files, or folders of them. Made with: winnow-ci index add PURL|URL|PATH
index: [{NEW_INDEX}]

# Third-party code that belongs here.
# paths:
#   exclude: ["third_party/**", "vendor/**"]

# Without a policy, every copy is an error. With one, the licence of the source decides.
# policy:
#   deny: ["GPL-*", "AGPL-*", unknown]
#   warn: ["LGPL-*", "MPL-2.0"]
#   allow: [MIT, "BSD-*", Apache-2.0]
"""

# The hook runs the installed command, so pre-commit builds no environment. `--` ends the options: file names follow.
_HOOKS = """\
  - repo: local
    hooks:
      - id: winnow-ci
        name: winnow-ci (staged)
        entry: winnow-ci hook
        args: [--]
        language: system
        types: [text]
        require_serial: true
        stages: [pre-commit, pre-merge-commit, manual]
      - id: winnow-ci-push
        name: winnow-ci (pushed commits)
        entry: winnow-ci hook --pre-push
        language: system
        pass_filenames: false
        always_run: true
        require_serial: true
        stages: [pre-push]
"""

WORKFLOW_TEXT = """\
name: winnow-ci
on:
  pull_request:
    types: [opened, synchronize, reopened, edited]  # edited: its target is another branch now
permissions:
  contents: read
jobs:
  winnow-ci:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1  # v7.0.1
        with:
          fetch-depth: 2
          persist-credentials: false
      # TODO: where your team keeps winnow-ci, at a commit that you trust
      - uses: <owner>/winnow-ci@<commit>
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pre-commit", action="store_true", help=f"write {HOOKS} too, or say what to add to it")
    parser.add_argument("--github", action="store_true", help=f"write {WORKFLOW} too, for pull requests")


def run(arguments: argparse.Namespace) -> None:
    repository = git.Repository.find(Path.cwd())
    root = repository.require_work_tree()
    _write(root, CONFIGURATION, CONFIGURATION_TEXT)
    if arguments.pre_commit and not _write(root, HOOKS, f"repos:\n{_HOOKS}"):
        hooks = root / HOOKS
        is_there = hooks.is_file() and "winnow-ci hook" in hooks.read_text(encoding="utf-8", errors="replace")
        print(f"{HOOKS}: has the hook" if is_there else f"Add to repos: in {HOOKS}:\n\n{_HOOKS.rstrip()}")
    if arguments.github:
        _write(root, WORKFLOW, WORKFLOW_TEXT)
    print("\n".join(("", "Next:", *_next_steps(repository, arguments))))


def _write(root: Path, path: str, text: str) -> bool:
    """Write a file unless it exists; return whether it was written."""
    target = root / path
    if not target.parent.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{path}: lies behind a symbolic link", "write it yourself, or replace the link with a folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        # Fails if anything is there, even a dangling link.
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        print(f"{path}: already exists, left unchanged")
        return False
    print(f"{path}: written")
    return True


def _next_steps(repository: git.Repository, arguments: argparse.Namespace) -> Iterator[str]:
    root = repository.require_work_tree()
    tracked = repository.run("ls-files", "-z").decode("utf-8", "replace").split("\0")[:-1]
    languages = " ".join(languages_of(tracked)) or f"LANGUAGE     (of {', '.join(STARTERS)})"
    if not (root / NEW_INDEX).exists():
        if (root / MANIFEST).exists():
            yield f"  build the index from {MANIFEST}: winnow-ci index sync"
        else:
            yield "  build an index of the code to look for, from well-known copyleft code or one source at a time:"
            yield f"    winnow-ci index starter {languages}"
            yield "    winnow-ci index add pkg:TYPE/NAME     (pypi, npm, cargo, golang, maven, deb; or a URL, a path)"
    if tracked:
        yield "  record the copies that are there already, so that only new ones are reported:"
        yield "    winnow-ci scan --all --update-baseline"
    yield "  check your branch:"
    yield "    winnow-ci scan"
    if arguments.pre_commit:
        yield "  check every commit and every push:"
        yield "    pre-commit install --hook-type pre-commit --hook-type pre-merge-commit --hook-type pre-push"
    else:
        yield f"  check every commit: winnow-ci init --pre-commit writes {HOOKS}"
    if arguments.github:
        yield f"  put the address of your team's winnow-ci into {WORKFLOW}"
    yield f"  commit {CONFIGURATION} and .winnow: hooks and CI take them from the repository"
