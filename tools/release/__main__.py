"""Check what a release needs, and make what is published beside the distributions.

    python tools/release v0.1.0              # may this tag be released? prints the entries of CHANGELOG.md
    python tools/release kernel-0.1.0        # the same for the kernel
    python tools/release --check             # does all agree? prints what is left for you
    python tools/release --owner NAME        # write the owner of the repository wherever its address stands
    python tools/release --stage FOLDER      # the sources as published: winnow-ci asks for its kernel
    python tools/release --plain-wheel FILE  # an empty wheel of the kernel, from its sdist
    python tools/release --recipes FOLDER    # recipes for Homebrew and conda-forge; needs uv, and dist/

All mistakes are reported at once. `make release` does a dry run, and `docs/releasing.md` says what to do.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from checking import examine, left, write_owner
from packing import stage, write_plain_wheel
from recipes import write_recipes

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser("python tools/release", usage=__doc__)
    parser.add_argument("tag", nargs="?")
    for option in ("--owner", "--stage", "--plain-wheel", "--recipes"):
        parser.add_argument(option)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.owner:
        write_owner(ROOT, given.owner)
    elif given.stage:
        stage(ROOT, Path(given.stage))
    elif given.plain_wheel:
        write_plain_wheel(Path(given.plain_wheel))
    elif given.recipes:
        write_recipes(ROOT, Path(given.recipes))
    elif given.check:
        mistakes, steps = left(ROOT)
        print(steps, flush=True)
        report(mistakes, "Everything here agrees.")
    elif given.tag:
        report(*examine(ROOT, given.tag), about=f"{given.tag} cannot be released: ")
    else:
        parser.error("name a tag or an option")


def report(mistakes: list[str], notes: str, about: str = "") -> None:
    """Print the mistakes and fail, or print the notes."""
    if mistakes:
        sys.exit("".join(f"{about}{mistake}\n" for mistake in mistakes))
    print(notes)


if __name__ == "__main__":
    main()
