"""A digest of everything that findings are judged by: two reports went by the same rules if it is equal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from winnow_ci.config.baseline import entry_record
from winnow_ci.evidence.model import evidence_model
from winnow_ci.start_up import sha256

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.config.settings import Settings
    from winnow_ci.model import Tokens
    from winnow_ci.policy.patterns import PathPatterns
    from winnow_ci.scanner.suppression import Suppressions


def rules_digest(settings: Settings, suppressions: Suppressions, boilerplate: Iterable[Tokens]) -> str:
    """The sha256 of the rules of a scan, in hexadecimal: equal for equal rules, in whichever files they stand.

    The indexes have digests of their own. The day, on which it depends which entries of a baseline have expired, and
    what the command line narrows are no rules.

    Args:
        settings: what is in scope, what counts, and what is welcome.
        suppressions: the baseline, and which comments count.
        boilerplate: the texts that everybody has.
    """
    described = json.dumps(_described(settings, suppressions), sort_keys=True)
    digest = sha256(described.encode())
    for tokens in boilerplate:
        digest.update(b"%d:" % len(tokens))
        digest.update(tokens.verbatim.tobytes())
    return digest.hexdigest()


def _described(settings: Settings, suppressions: Suppressions) -> dict[str, Any]:
    policy, report = settings.policy, settings.report
    return {
        "policy": policy and [policy.deny, policy.warn, policy.allow, policy.default],
        "report": [report.min_tokens, report.min_tokens_renamed, report.weak, report.cut],
        "evidence": evidence_model().digest,
        "languages": settings.languages and sorted(settings.languages),
        "paths": [_patterns(settings.include), _patterns(settings.exclude)],
        "own": settings.own.patterns,
        "comments": suppressions.trust,
        "baseline": [entry_record(entry) for entry in suppressions.baseline],
    }


def _patterns(paths: PathPatterns | None) -> tuple[str, ...] | None:
    return None if paths is None else paths.patterns
