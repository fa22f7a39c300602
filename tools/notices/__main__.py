"""The notices of the crates that the kernel's wheels contain, which their licences want to go with them.

    python tools/notices [--check]

Writes kernel/THIRD-PARTY.txt: each crate that is linked, with the text of one licence that it may be used under. Asks
cargo, for the sources of the crates as they are fetched. With --check it writes nothing, and exits with 1 if a crate
has come or gone since; versions may differ.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

KERNEL = Path(__file__).resolve().parents[2] / "kernel"
NOTICES = KERNEL / "THIRD-PARTY.txt"
# The first that a crate has: of licences to choose from, the one with the shortest duties.
TEXTS = ("LICENSE-MIT", "LICENSE", "LICENSE.txt", "LICENSE.md")
RULE = "=" * 80
OPENING = """\
What the wheels of winnow-ci-kernel contain beside its own code: crates, as cargo fetches them, and Rust's standard
library (MIT OR Apache-2.0, The Rust Project Contributors). Made by tools/notices.
"""


class Crate(NamedTuple):
    """A crate, and the folder of its source."""

    name: str
    license: str
    folder: Path


def main() -> int:
    parser = argparse.ArgumentParser("python tools/notices", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare the crates with those of the file")
    check = parser.parse_args().check
    crates = linked(metadata())
    if check:
        return checked({crate.name for crate in crates})
    NOTICES.write_text("\n".join([OPENING, *map(notice, crates)]), encoding="utf-8")
    return 0


def metadata() -> dict[str, Any]:
    command = ("cargo", "metadata", "--format-version", "1", "--quiet")
    return json.loads(subprocess.check_output(command, cwd=KERNEL))


def linked(known: dict[str, Any]) -> list[Crate]:
    """The foreign crates in a wheel: neither those of tests and builds nor what runs in the compiler."""
    packages = {package["id"]: package for package in known["packages"]}
    needs = {node["id"]: node["deps"] for node in known["resolve"]["nodes"]}
    root, own = known["resolve"]["root"], set(known["workspace_members"])
    found, waiting = {root}, [root]
    while waiting:
        for need in needs[waiting.pop()]:
            kinds = {kind["kind"] for kind in need["dep_kinds"]}
            if need["pkg"] not in found and None in kinds and not runs_in_compiler(packages[need["pkg"]]):
                found.add(need["pkg"])
                waiting.append(need["pkg"])
    crates = (packages[each] for each in found - own)
    return sorted(Crate(each["name"], each["license"], Path(each["manifest_path"]).parent) for each in crates)


def runs_in_compiler(package: dict[str, Any]) -> bool:
    return any("proc-macro" in target["kind"] for target in package["targets"])


def notice(crate: Crate) -> str:
    texts = [crate.folder / name for name in TEXTS if (crate.folder / name).is_file()]
    if not texts:
        sys.exit(f"{crate.name} has no text of its licence ({crate.license})")
    text = texts[0].read_text(encoding="utf-8").strip().replace("\r\n", "\n")
    return f"{RULE}\n{crate.name} ({crate.license})\n{RULE}\n\n{text}\n"


def checked(crates: set[str]) -> int:
    """Compare with the file; returns the exit status."""
    told = set(re.findall(rf"(?m)^{RULE}\n(\S+) \(", NOTICES.read_text(encoding="utf-8")))
    for crate in sorted(crates ^ told):
        print(f"{crate}: {'not in' if crate in crates else 'only in'} {NOTICES.name}; run python tools/notices")
    return int(crates != told)


if __name__ == "__main__":
    sys.exit(main())
