"""Check a release, and list what is left for a person.

A tag is a prefix and the version. The version of winnow-ci stands in `src/winnow_ci/__init__.py` and nowhere else, that
of the kernel in `kernel/Cargo.toml`; the extra `kernel` names it. The owner of the repository stands in pyproject.toml,
in the address `Source`: `--owner` writes it everywhere else.
"""

from __future__ import annotations

import datetime as dt
import re
import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = {
    "v": ("src/winnow_ci/__init__.py", r'^__version__ = "([^"]+)"$'),
    "kernel-": ("kernel/Cargo.toml", r'^version = "([^"]+)"$'),
}
EXTRA = r'^kernel = \["winnow-ci-kernel==([^"]+)"\]$'
HEADING = r"^## {version} - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)"
OWNER = r'^Source = "https://github\.com/([^/"]+)/winnow-ci"$'
ADDRESS = r"(?:github\.com/|github>|uses: )([^/\s\"]+)/winnow-ci\b"
UNKNOWN = "<owner>"
DAYS = 14
"""How old the locks may be."""

# What no program can see from here.
ONCE = (
    "GitHub, Settings, Environments: `pypi` for the tags v* and kernel-*, `indexes` for main; name who has to agree",
    "GitHub, Settings, Rules: protect the tags v* and kernel-*",
    "GitHub, Settings, Pages: publish from workflows",
    "GitHub, environment `indexes`: the secret INDEX_SIGNING_KEY; a release with the tag `channels`",
    "PyPI, Publishing: winnow-ci from release.yml of {owner}/winnow-ci, with the environment `pypi`",
    "PyPI, Publishing: winnow-ci-kernel from kernel-wheels.yml of {owner}/winnow-ci, with the environment `pypi`",
    "for images: the variable CONTAINER_REGISTRY",
)
KERNEL = (
    "the kernel first: git tag kernel-{kernel} && git push origin kernel-{kernel}; agree when its wheels are built",
    "Makefile: WITH_KERNEL := --extra kernel; then make lock, and commit",
)
AFTER = (
    "git tag v{version} && git push origin main v{version}; agree when it was tried",
    "the release's page: publish the action to the Marketplace",
    "recipes of the release: winnow-ci.rb to your tap, recipe.yaml to conda-forge/staged-recipes",
)


class Release(NamedTuple):
    """What stands in the repository."""

    version: str
    kernel: str
    owner: str


def read(root: Path) -> Release:
    return Release(first(root, *VERSIONS["v"]), first(root, *VERSIONS["kernel-"]), first(root, "pyproject.toml", OWNER))


def examine(root: Path, tag: str) -> tuple[list[str], str]:
    """What forbids to release this tag, and what the release says of itself."""
    prefix, version = re.fullmatch(r"(kernel-|v)?(.*)", tag).groups()  # type: ignore[union-attr]  # matches everything
    if prefix is None:
        return ["a tag is v or kernel-, and a version"], ""
    file, pattern = VERSIONS[prefix]
    mistakes = [*disagreeing(version, {file: first(root, file, pattern)}), *unnamed_owner(root), *extra(root)]
    if prefix == "kernel-":
        return mistakes, f"The kernel of winnow-ci, version {version}."
    notes = changes(root, version)
    if not notes:
        mistakes.append(f"CHANGELOG.md has no entries under a heading `## {version} - YYYY-MM-DD`")
    return mistakes, notes


def disagreeing(version: str, named: dict[str, str]) -> list[str]:
    return [f"{where} has {found or 'no version'}, not {version}" for where, found in named.items() if found != version]


def extra(root: Path) -> list[str]:
    named = first(root, "pyproject.toml", EXTRA)
    return disagreeing(read(root).kernel, {"the extra `kernel` in pyproject.toml": named})


def changes(root: Path, version: str) -> str:
    """The entries of a version in the changelog."""
    return first(root, "CHANGELOG.md", HEADING.format(version=re.escape(version))).strip()


def unnamed_owner(root: Path) -> list[str]:
    """Why the owner is not known, or where the address of the repository has another one."""
    owner = read(root).owner
    if owner in {"", UNKNOWN}:
        return ["pyproject.toml does not name the owner of the repository; run: python tools/release --owner NAME"]
    others = sorted({file for file, found in addresses(root) if found != owner})
    return [f"the address of the repository has another owner than {owner}: {', '.join(others)}"] if others else []


def addresses(root: Path) -> list[tuple[str, str]]:
    """Each file with an address of the repository, and the owner in it."""
    files = git(root, "ls-files", "--", "*.toml", "*.md", "renovate", "src").splitlines()
    texts = {file: (root / file).read_text(encoding="utf-8", errors="replace") for file in files}
    return [(file, owner) for file, text in texts.items() for owner in re.findall(ADDRESS, text)]


def write_owner(root: Path, owner: str) -> None:
    before = read(root).owner
    everywhere = (".", ":!tools/release", ":!tests/release")
    for file in git(root, "grep", "--name-only", "--fixed-strings", f"{before}/winnow-ci", "--", *everywhere).split():
        text = (root / file).read_text(encoding="utf-8")
        (root / file).write_text(text.replace(f"{before}/winnow-ci", f"{owner}/winnow-ci"), encoding="utf-8")
        print(file)


def left(root: Path) -> tuple[list[str], str]:
    """What is wrong, and what a person has to do."""
    release = read(root)
    tags = set(git(root, "tag", "--list").split())
    mistakes = extra(root)
    if f"v{release.version}" in tags:
        mistakes.append(f"v{release.version} is a tag already; raise the version in {VERSIONS['v'][0]}")
    if git(root, "status", "--porcelain"):
        mistakes.append("the work tree has changes that are not committed")
    steps = [*ONCE, *first_release(root, release, tags), *before_tag(root, release), *AFTER]
    lines = [f"  [ ] {step}".format(**release._asdict()) for step in steps]
    head = f"winnow-ci {release.version} and kernel {release.kernel}: what is left for you (see docs/releasing.md)"
    return mistakes, "\n".join([head, *lines])


def first_release(root: Path, release: Release, tags: set[str]) -> list[str]:
    """Steps for the owner's name and for a kernel without a tag."""
    owner = ["write your name: python tools/release --owner NAME"] if unnamed_owner(root) else []
    return [*owner, *([] if f"kernel-{release.kernel}" in tags else KERNEL)]


def before_tag(root: Path, release: Release) -> list[str]:
    """Steps for old locks and a changelog without a heading."""
    renewed = git(root, "log", "-1", "--format=%cs", "--", "requirements").strip()
    age = dt.datetime.now(tz=dt.timezone.utc).date() - dt.date.fromisoformat(renewed)
    locks = [f"renew the locks of {renewed}: make lock"] if age.days > DAYS else []
    heading = "CHANGELOG.md: put the heading `## {version} - YYYY-MM-DD` under `## Unreleased`"
    return [*locks, *([] if changes(root, release.version) else [heading])]


def first(root: Path, file: str, pattern: str) -> str:
    found = re.search(pattern, (root / file).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def git(root: Path, *arguments: str) -> str:
    """What git prints; nothing if it finds nothing."""
    return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False).stdout
