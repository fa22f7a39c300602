"""What the report on a change may advise: the options that repeat the scan, and whether a comment would count.

Where the reader works in another clone, as the author of a pull request does, paths of the machine that scanned are of
no use, and commits of a CI may not be there; the branch that the change is for is.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.model.findings import Advice

if TYPE_CHECKING:
    from winnow_ci.config.index_reference import IndexReference
    from winnow_ci.git import Repository
    from winnow_ci.model.changes import ChangeSet
    from winnow_ci.model.findings import BaselineInForce
    from winnow_ci.operations.trust import RuleChoice, Rules

_DIGITS = 12


def reader_advice(
    repository: Repository,
    change: ChangeSet,
    choice: RuleChoice,
    by: Rules,
    mode: tuple[str, ...],
    *,
    is_elsewhere: bool,
) -> Advice:
    """What to advise.

    Args:
        repository: where that was.
        change: what was scanned.
        choice: what the command line said about the rules.
        by: the rules.
        mode: the options that named the change; empty if something else did.
        is_elsewhere: whether the reader works in another clone.
    """
    indexes = () if is_elsewhere and by.settings.index else choice.indexes
    named = [("--index", str(index)) for index in indexes if not (is_elsewhere and _is_of_this_machine(index))]
    if choice.config and not (is_elsewhere and choice.config.is_absolute()):
        named.append(("--config", str(choice.config)))
    baseline: BaselineInForce = "base" if is_elsewhere or choice.policy_from == "base" else "here"
    if is_elsewhere and repository.root is None:
        baseline = "server"
    return Advice((*(mode or _mode(change)), *chain.from_iterable(named)), _do_comments_count(change, by), baseline)


def _is_of_this_machine(index: IndexReference) -> bool:
    return isinstance(index, Path) and index.is_absolute()


def _mode(change: ChangeSet) -> tuple[str, ...]:
    """The options that name a change; none for that of a branch, which needs none."""
    scope = change.scope
    if change.branch is not None:
        return "--since", change.branch
    if scope.mode == "branch":
        return ()
    if scope.mode == "staged" and (change.bases or scope.base is None):
        return ("--staged",)
    if scope.mode == "since" and scope.base:
        return "--since", scope.base[:_DIGITS]
    if scope.mode == "range" and scope.base and scope.head:
        return "--range", f"{scope.base[:_DIGITS]}..{scope.head[:_DIGITS]}"
    return ("--all",)


def _do_comments_count(change: ChangeSet, by: Rules) -> bool:
    trust = by.suppressions.trust
    return trust == "always" or (trust == "base" and change.scope.mode == "all" and by.commit is None)
