"""What a team makes of a finding, by the licence of its source.

A licence is matched against patterns such as ``GPL-*``, upper and lower case being the same; ``unknown`` is a licence
like any other. ``deny`` is asked first, then ``warn``, then ``allow``, then the default. Of ``A OR B`` the milder
verdict holds, since the user may choose; of ``A AND B`` the severer. A licence with an exception is asked as a whole
of the patterns that name an exception, and only then as the licence that it is.

Expressions in an index are in the canonical form of ``licenses.normalise``; one that is not is an error, whatever the
policy says: nobody can tell what it allows.

A finding is judged by its first source, the likeliest one. But the copy may have been made from another of the places
that have the same code: if the policy denies one of those and not the first, the finding is a warning that names it,
whatever the first would have made of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.policy.globs import Glob, compiled, refuse_unfit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from winnow_ci.model import Finding

Verdict = Literal["error", "warning", "note", "allow"]

_SEVEREST_FIRST: tuple[Verdict, ...] = ("error", "warning", "note", "allow")
_WORD = re.compile(r"[()]|[^\s()]+(?: WITH [^\s()]+)?")

_Rule: TypeAlias = tuple[Glob, Verdict]


@dataclass(frozen=True, slots=True)
class LicensePolicy:
    """Patterns of licences, and the verdict on those that none matches.

    Raises:
        ValueError: a pattern that is empty, too long, or that could match no single licence.
    """

    deny: tuple[str, ...] = ()
    warn: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    default: Verdict = "error"
    _exception_rules: tuple[_Rule, ...] = field(init=False, repr=False, compare=False)
    _licence_rules: tuple[_Rule, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rules = (*_rules(self.deny, "error"), *_rules(self.warn, "warning"), *_rules(self.allow, "allow"))
        of_exceptions = tuple(rule for pattern, rule in rules if " with " in pattern)
        of_licences = tuple(rule for pattern, rule in rules if " with " not in pattern)
        object.__setattr__(self, "_exception_rules", of_exceptions)
        object.__setattr__(self, "_licence_rules", of_licences)

    def verdict(self, expression: str) -> Verdict:
        """What the policy makes of code under an SPDX expression."""
        words = _WORD.findall(expression)
        licences = [word for word in words if word not in {"(", ")", "AND", "OR"}]
        if words.count("AND") + words.count("OR") != len(licences) - 1:
            return "error"
        return _fold(words, {licence: self._verdict_on(licence) for licence in licences})

    def _verdict_on(self, licence: str) -> Verdict:
        whole = licence.lower()
        plain = whole.partition(" with ")[0]
        for text, rules in ((whole, self._exception_rules), (plain, self._licence_rules)):
            for matches, verdict in rules:
                if matches(text):
                    return verdict
        return self.default


def judge(findings: Iterable[Finding], policy: LicensePolicy | None) -> tuple[Finding, ...]:
    """The findings, each with its level; those under an allowed licence are suppressed notes.

    Without a policy every finding is an error. A finding that something else suppresses stays suppressed by that. One
    whose first source is not denied while another is, is a warning.
    """
    return tuple(_judged(finding, policy) for finding in findings)


def _judged(finding: Finding, policy: LicensePolicy | None) -> Finding:
    verdict = "error" if policy is None else policy.verdict(finding.source.file.source.license)
    if policy is not None and verdict != "error":
        denied = (place for place in finding.also_in if policy.verdict(place.file.source.license) == "error")
        if objection := next(denied, None):
            return finding._replace(level="warning", objection=objection)
    if verdict == "allow":
        return finding._replace(level="note", suppressed=finding.suppressed or "policy")
    return finding._replace(level=verdict)


def _rules(patterns: Iterable[str], verdict: Verdict) -> Iterator[tuple[str, _Rule]]:
    for pattern in patterns:
        refuse_unfit(pattern)
        text = pattern.lower()
        if re.search(r"[\s()]", text.replace(" with ", "", 1)):
            raise ValueError(f"{pattern!r} is more than one licence; give each its own pattern")
        yield text, (compiled(text), verdict)


def _fold(words: list[str], verdicts: dict[str, Verdict]) -> Verdict:
    # Open brackets, in each the alternatives so far, in each of those the verdicts that hold together.
    brackets: list[list[list[int]]] = [[[]]]
    for word in words:
        if word == "(":
            brackets.append([[]])
        elif word == ")" and len(brackets) > 1:
            inner = _mildest(brackets.pop())
            brackets[-1][-1].append(inner)
        elif word == "OR":
            brackets[-1].append([])
        elif word != "AND":
            brackets[-1][-1].append(_SEVEREST_FIRST.index(verdicts.get(word, "error")))
    return _SEVEREST_FIRST[_mildest(brackets[0])] if len(brackets) == 1 else "error"


def _mildest(alternatives: list[list[int]]) -> int:
    return max(min(together, default=0) for together in alternatives)
