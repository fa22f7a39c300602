"""Check a proof that a commit was scanned.

Check a statement that `winnow-ci scan --format in-toto:FILE` wrote: one of your keys has signed it (FILE.sig), it is
about this commit, its verdict is good, and its indexes and rules are those that are configured here.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from winnow_ci import git
from winnow_ci.cli import choices, messages
from winnow_ci.report.printable import name


def add_to(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "exit status: 0 all of that holds, 1 something does not, 2 wrong usage or configuration,\n3 could not check"
    )
    add, by = parser.add_argument, parser.add_mutually_exclusive_group(required=True)
    add("file", type=Path, metavar="FILE", help="the statement")
    by.add_argument("--keys", type=Path, metavar="FILE", help="SSH public keys, one on each line, that you trust")
    by.add_argument("--unsigned", action="store_true", help="another program, like cosign, has checked the signature")
    add("--commit", default="HEAD", metavar="REV", help="the commit that it must be about (default: HEAD)")
    choices.add_rules(parser)


def run(arguments: argparse.Namespace) -> None:
    from winnow_ci.operations import proof

    repository = git.Repository.find(Path.cwd())
    said = proof.verified(repository, arguments.file, arguments.keys, arguments.commit)
    proof.require_rules(repository, said, choices.rule_choice(arguments), messages.counting)
    signed = "not checked here who signed it" if arguments.unsigned else f"signed by a key in {arguments.keys}"
    about = f"commit {said.commit}, {said.description}: {said.verdict} by winnow-ci {said.version}"
    messages.note(f"{name(about)}; {name(signed)}")
