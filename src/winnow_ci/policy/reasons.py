"""Why a licence gets the verdict that it gets: which rule of a policy is about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from winnow_ci.policy.judgement import LicensePolicy

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"[()]|[^\s()]+(?: WITH [^\s()]+)?")
_KEYS: tuple[Literal["deny", "warn", "allow"], ...] = ("deny", "warn", "allow")
_OPEN = LicensePolicy(default="allow")


def reasons(expression: str, policy: LicensePolicy | None) -> list[str]:
    """The rules that are about an SPDX expression, in words; one line for each licence in it."""
    if policy is None:
        return ["there is no policy: every finding is an error"]
    if _OPEN.verdict(expression) == "error":
        return [f"{expression!r} is no SPDX expression: always an error"]
    licences = [word for word in _WORD.findall(expression) if word not in {"(", ")", "AND", "OR"}]
    found = [_reason(licence, policy) for licence in dict.fromkeys(licences)]
    for operator, verdict in (("OR", "milder"), ("AND", "severer")):
        if f" {operator} " in expression:
            found.append(f"of A {operator} B the {verdict} verdict holds")
    return found


def _reason(licence: str, policy: LicensePolicy) -> str:
    verdict = policy.verdict(licence)
    rule = next(
        (f'policy.{key}: "{pattern}"' for key, pattern in _in_order(policy) if _matches(pattern, licence)), None
    )
    return f"{licence}: {verdict}, by {rule or f'policy.default: {policy.default}'}"


def _in_order(policy: LicensePolicy) -> Iterator[tuple[str, str]]:
    """The patterns in the order in which they are asked: first those that name an exception."""
    patterns = [(key, pattern) for key in _KEYS for pattern in getattr(policy, key)]
    yield from sorted(patterns, key=lambda each: " with " not in each[1].lower())


def _matches(pattern: str, licence: str) -> bool:
    return LicensePolicy(deny=(pattern,), default="allow").verdict(licence) == "error"
