"""Prove that a commit was looked up: find the commit of a scan, and verify a statement about one.

A statement (``report.in_toto``) is believed if one of the given keys has signed exactly its bytes, in the namespace
``winnow-ci``. Then it must be about the commit that is asked about, with its tree, and the roots of its indexes and the
digest of its rules must be those of the configuration that is here. Nothing is scanned again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import get_args

from winnow_ci import git
from winnow_ci.errors import ExitStatus, UsageError, WinnowError
from winnow_ci.fetching.channels import SIGNATURE, is_signed
from winnow_ci.languages.language_detection import LARGEST_FILE
from winnow_ci.model import Change, Counting
from winnow_ci.model.changes import ChangeSet
from winnow_ci.model.findings import ProvedCommit
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.named_elsewhere import open_place
from winnow_ci.operations.trust import RuleChoice, rules_here
from winnow_ci.policy.allow_comments import CommentTrust
from winnow_ci.regular_file import open_regular
from winnow_ci.report.in_toto import PASSED, STATEMENT, TYPE
from winnow_ci.report.printable import json_text
from winnow_ci.scanner.read import boilerplate_tokens
from winnow_ci.scanner.settle import rules_digest

NAMESPACE = "winnow-ci"
_LARGEST = 1 << 20
_DIGITS = 12
_KEY = re.compile(r"(?:ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,3}")
_SCAN_AGAIN = "scan that commit again: winnow-ci scan --format in-toto:FILE"


class ProofError(WinnowError):
    """A statement does not prove what it should."""

    exit_status = ExitStatus.FINDINGS


class Statement(NamedTuple):
    """What a statement says."""

    commit: str
    tree: str
    version: str  # of winnow-ci
    description: str  # of the change
    policy_digest: str
    verdict: str
    roots: tuple[str, ...]  # of the indexes


def commit_of(repository: git.Repository, change: ChangeSet) -> ProvedCommit:
    """Return the commit that has exactly what a scan of this change reads."""
    if change.is_narrowed:
        raise UsageError("a proof is about a whole change, not about some of its files", "leave out the paths")
    commit = change.scope.head
    if commit is None:
        commit = git.head_commit(repository)
        uncommitted = git.since(repository, "HEAD") if commit else change
        if commit is None or _differs(repository, uncommitted):
            problem = "a proof is about a commit, and there is uncommitted work here"
            raise UsageError(problem, "commit or stash it (git status), or name the commits: --range A..B")
    if change.scope.base == commit:
        raise UsageError("the change compares the commit with itself, which proves nothing", "scan all of it: --all")
    return ProvedCommit(commit, git.tree_of(repository, commit))


def _differs(repository: git.Repository, changes: ChangeSet) -> bool:
    """Whether files differ in more than what git remembers of them, such as the time of their last change."""
    read = git.read_changes(repository, changes.files, LARGEST_FILE)
    same = {file.path for file, found in read if isinstance(found, Change) and found.content == found.old}
    return not {file.path for file in changes.files} | {file.path for file in changes.replaced} <= same


def verified(repository: git.Repository, file: Path, keys: Path | None, revision: str) -> Statement:
    """Return what a statement says; raise ``ProofError`` unless it is signed, about this commit, and its verdict good.

    ``keys`` has a public key on each line; None if somebody else has checked the signature.
    """
    content = _read(file)
    signature = file.with_name(f"{file.name}.sig")
    if keys is not None and not is_signed(content, _read(signature), _keys(keys), NAMESPACE):
        raise ProofError(f"{file}: no key in {keys} has signed this statement", "do not trust it")
    statement = _statement(content, file)
    commit = git.resolve_revision(repository, revision)
    if (statement.commit, statement.tree) != (commit, git.tree_of(repository, commit)):
        about = f"it is about commit {statement.commit[:_DIGITS]}, not about {commit[:_DIGITS]}"
        raise ProofError(f"{file}: {about}", _SCAN_AGAIN)
    if statement.verdict != PASSED:
        raise ProofError(f"{file}: the commit was scanned, and the verdict is {statement.verdict}", _SCAN_AGAIN)
    return statement


def require_rules(repository: git.Repository, said: Statement, choice: RuleChoice, counting: Counting) -> None:
    """Raise ``ProofError`` if a statement did not go by the indexes and the rules that are here."""
    by = rules_here(repository, choice, counting)
    roots = set()
    for named in by.indexes:
        with open_place(named.place) as index:
            roots.add(index.digest)
    if roots != set(said.roots):
        problem = f"the commit was compared with other indexes: {_listed(said.roots)}, not {_listed(sorted(roots))}"
        raise ProofError(problem, _SCAN_AGAIN)
    # A CI and a machine of a person differ in which comments count, unless the rules say it.
    trusts = [by.settings.inline] if by.settings.inline else get_args(CommentTrust)
    tokens = list(boilerplate_tokens(partial(git.read_changes, repository), by.boilerplate, by.settings))
    judged = (by.suppressions._replace(trust=trust) for trust in trusts)
    if said.policy_digest not in {rules_digest(by.settings, each, tokens) for each in judged}:
        problem = f"the commit was judged by other rules, or by another version: winnow-ci {said.version}"
        raise ProofError(problem, f"check out the configuration that applies, or {_SCAN_AGAIN}")


def _listed(roots: Sequence[str]) -> str:
    return ", ".join(root[:_DIGITS] for root in roots) or "none"


def _read(file: Path) -> bytes:
    try:
        with open_regular(file) as opened:
            content = opened.read(_LARGEST + 1)
    except OSError as error:
        sign = f"sign it: ssh-keygen -Y sign -n {NAMESPACE} -f KEY FILE"
        raise ProofError(f"{file}: {error.strerror}", sign if file.suffix == ".sig" else "name another file") from error
    if len(content) > _LARGEST:
        raise ProofError(f"{file}: larger than {_LARGEST >> 20} MiB", "name a file that winnow-ci wrote")
    return content


def _keys(file: Path) -> list[str]:
    """The public keys in a file, without their comments, which could say anything."""
    # Other line ends could hide a key in a comment.
    content = _read(file)
    lines = content.decode("ascii", "replace").split("\n")
    keys = [found[0] for line in lines if (found := _KEY.match(line))]
    if not keys or SIGNATURE in content:
        raise UsageError(f"{file}: no SSH public key", "write one on each line, as a .pub file has it")
    return keys


def _statement(content: bytes, file: Path) -> Statement:
    try:
        said = json.loads(content)
        (subject,), by = said["subject"], said["predicate"]
        statement = Statement(
            subject["digest"]["gitCommit"],
            subject["digest"]["gitTree"],
            by["tool"]["version"],
            by["change"]["description"],
            by["policy_digest"],
            by["verdict"],
            tuple(index["root"] for index in by["indexes"]),
        )
        is_ours = (said["_type"], said["predicateType"], by["tool"]["name"]) == (STATEMENT, TYPE, "winnow-ci")
        is_as_written = json_text(said).encode() == content
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise ProofError(f"{file}: not a statement of winnow-ci", _SCAN_AGAIN) from error
    if not (is_ours and all(isinstance(text, str) for text in (*statement[:-1], *statement.roots))):
        raise ProofError(f"{file}: not a statement of winnow-ci", _SCAN_AGAIN)
    if not is_as_written:
        raise ProofError(f"{file}: not in the form in which winnow-ci writes statements", _SCAN_AGAIN)
    return statement
