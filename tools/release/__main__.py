"""Check that a tag can be released, and print what the release says of itself: the entries of CHANGELOG.md.

    python tools/release v0.1.0          # winnow-ci
    python tools/release kernel-0.1.0    # the kernel

A tag is a prefix and the version. The version of winnow-ci stands in `src/winnow_ci/__init__.py` and nowhere else, that
of the kernel in `kernel/Cargo.toml`; the extra `kernel` names it. All mistakes are told at once. `docs/releasing.md`
says what to do.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = {
    "v": ("src/winnow_ci/__init__.py", r'^__version__ = "([^"]+)"$'),
    "kernel-": ("kernel/Cargo.toml", r'^version = "([^"]+)"$'),
}
EXTRA = r'^kernel = \["winnow-ci-kernel==([^"]+)"\]$'
HEADING = r"^## {version} - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)"
OWNER = "<owner>"


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    mistakes, notes = examine(ROOT, sys.argv[1])
    if mistakes:
        sys.exit("".join(f"{sys.argv[1]} cannot be released: {mistake}\n" for mistake in mistakes))
    print(notes)


def examine(root: Path, tag: str) -> tuple[list[str], str]:
    """What forbids to release this tag of a clone, and what the release says of itself."""
    prefix, version = re.fullmatch(r"(kernel-|v)?(.*)", tag).groups()  # type: ignore[union-attr]  # matches everything
    if prefix is None:
        return ["a tag is v or kernel-, and a version"], ""
    file, pattern = VERSIONS[prefix]
    mistakes = [*disagreeing(version, {file: first(root, file, pattern)}), *unnamed_owner(root)]
    named, kernel = first(root, "pyproject.toml", EXTRA), first(root, *VERSIONS["kernel-"])
    mistakes += disagreeing(kernel, {"the extra `kernel` in pyproject.toml": named})
    if prefix == "kernel-":
        return mistakes, f"The kernel of winnow-ci, version {version}."
    notes = first(root, "CHANGELOG.md", HEADING.format(version=re.escape(version))).strip()
    if not notes:
        mistakes.append(f"CHANGELOG.md has no entries under a heading `## {version} - YYYY-MM-DD`")
    return mistakes, notes


def disagreeing(version: str, named: dict[str, str]) -> list[str]:
    return [f"{where} has {found or 'no version'}, not {version}" for where, found in named.items() if found != version]


def unnamed_owner(root: Path) -> list[str]:
    """Where the address of the repository still has a gap."""
    command = ["git", "-C", str(root), "grep", "--name-only", OWNER, "--", "*.toml", "README.md", "src", "docs"]
    files = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    places = [file for file in files if file != "docs/releasing.md"]
    return [f"{OWNER} is not filled in: {', '.join(places)}"] if places else []


def first(root: Path, file: str, pattern: str) -> str:
    found = re.search(pattern, (root / file).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


if __name__ == "__main__":
    main()
