"""Judge findings by a team's policy for the licence of the source (docs/configuration.md).

``deny`` is tried first, then ``warn``, then ``allow``, then OSADL's matrix for the licence of the team (``outbound``),
then the default. Of ``A OR B`` the milder verdict holds, of ``A AND B`` the severer. A licence with an exception is
tried as a whole against the patterns that name an exception, and only then as the licence alone. An expression that is
not in the canonical form of ``spdx`` is an error, whatever the policy says.

A finding is judged by its first source, the likeliest one. If the policy denies another place with the same code, from
which the copy may have been made, the finding is a warning that names it, whatever the verdict on the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

from winnow_ci.model import Level, Place
from winnow_ci.model.findings import Finding
from winnow_ci.policy.patterns import MAX_LENGTH, Glob, check_pattern, compiled_glob
from winnow_ci.start_up import compiled_on_use, field, record, replace

PolicyVerdict: TypeAlias = Literal["error", "warning", "note", "allow"]

_SEVEREST_FIRST: tuple[PolicyVerdict, ...] = ("error", "warning", "note", "allow")
_WORD = compiled_on_use(r"[()]|[^\s()]+(?: WITH [^\s()]+)?")
# What the answers of OSADL's matrix mean; others leave it to the default.
_OF_MATRIX: dict[str, PolicyVerdict] = {"Yes": "note", "Same": "note", "Check dependency": "warning", "No": "error"}

# Whether it names an exception, matches licences, the verdict on them, and the rule in words.
_Rule: TypeAlias = tuple[bool, Glob, PolicyVerdict, str]


@record(frozen=True, slots=True)
class LicensePolicy:
    """Patterns of licences; ValueError if one is empty, too long, or could match no single licence."""

    deny: tuple[str, ...] = ()
    warn: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    default: PolicyVerdict = "error"  # on licences that no pattern matches
    outbound: str | None = None  # the team distributes its code under it: as ``canonical_outbound`` spells it
    _rules: tuple[_Rule, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        verdicts: dict[str, PolicyVerdict] = {"deny": "error", "warn": "warning", "allow": "allow"}
        rules = tuple(_rule(key, one, verdict) for key, verdict in verdicts.items() for one in getattr(self, key))
        object.__setattr__(self, "_rules", rules)

    def verdict(self, expression: str) -> PolicyVerdict:
        """Return the verdict on code under an SPDX expression."""
        words = _WORD.findall(expression)
        licences = _licences(words)
        if words.count("AND") + words.count("OR") != len(licences) - 1:
            return "error"
        return _fold(words, {licence: self.rule_for(licence)[0] for licence in licences})

    def denies(self, expression: str) -> bool:
        """Return whether ``deny`` forbids an SPDX expression, or whether nobody knows what the expression allows."""
        return replace(self, default="allow", outbound=None).verdict(expression) == "error"

    def rule_for(self, licence: str) -> tuple[PolicyVerdict, str]:
        """Return the verdict on a single licence, and the rule that makes it, in words."""
        whole = licence.lower()
        for text, with_exception in ((whole, True), (whole.partition(" with ")[0], False)):
            for names_exception, matches, verdict, rule in self._rules:
                if names_exception == with_exception and matches(text):
                    return verdict, rule
        default = f"policy.default: {self.default}"
        return self._of_matrix(licence, default) if self.outbound else (self.default, default)

    def _of_matrix(self, licence: str, default: str) -> tuple[PolicyVerdict, str]:
        """The severest verdict over all licences of the team."""
        from winnow_ci.policy.outbound import matrix, matrix_answer  # noqa: PLC0415 - few policies need it

        own = _licences(_WORD.findall(self.outbound or ""))
        answers = [(matrix_answer(one, licence), one) for one in own]
        judged = [(_OF_MATRIX.get(answer, self.default), answer, one) for answer, one in answers]
        verdict, answer, severest = min(judged, key=lambda one: _SEVEREST_FIRST.index(one[0]))
        rule = f"policy.outbound: {self.outbound}" if answer in _OF_MATRIX else default
        which = f" for {severest}" if len({one for one, *_ in judged}) > 1 else ""
        return verdict, f"{rule} (OSADL's matrix of {matrix().date}: {answer}{which})"


def judge(findings: Iterable[Finding], policy: LicensePolicy | None, weak: Level = "note") -> tuple[Finding, ...]:
    """Set the level of each finding, ``weak`` at most of a weak one; without a policy every finding is an error.

    Those under an allowed licence become suppressed notes. What something else suppresses stays suppressed by that.
    """
    judged = (_judged(finding, policy) for finding in findings)
    return tuple(
        one if one.strength == "strong" else one._replace(level=max(one.level, weak, key=_SEVEREST_FIRST.index))
        for one in judged
    )


def severer(one: Finding, other: Finding) -> Finding:
    """Return the severer of two judgements of a finding."""
    return min(one, other, key=lambda judged: (_SEVEREST_FIRST.index(judged.level), judged.suppressed == "policy"))


def denied_place(finding: Finding, policy: LicensePolicy | None) -> Place | None:
    """Return the first place of a finding's code whose licence ``deny`` forbids, also that of stricter rules."""
    if finding.denied:
        return finding.source
    if policy is None:
        return None
    return next((one for one in (finding.source, *finding.also_in) if policy.denies(one.file.source.license)), None)


def licences_to_allow(finding: Finding, policy: LicensePolicy | None) -> tuple[str, ...]:
    """Return licences that ``allow`` would have to name for a finding to be accepted: one if that is enough, else all.

    Places that would be an error count, too. Empty if the finding is accepted already, another rule decides, or a
    licence is no expression or no pattern of one: a source under ``*`` cannot make anybody allow everything.
    """
    before = policy or LicensePolicy()
    others = (place.file.source.license for place in finding.also_in)
    refused = (licence for licence in others if before.verdict(licence) == "error")
    expression = " AND ".join(f"({one})" for one in dict.fromkeys((finding.source.file.source.license, *refused)))
    is_odd = len(expression) > MAX_LENGTH or any(mark in expression for mark in "*?[")
    if is_odd or LicensePolicy(default="allow").verdict(expression) == "error" or before.verdict(expression) == "allow":
        return ()
    licences = _licences(_WORD.findall(expression))
    for wanted in (*((licence,) for licence in licences), tuple(dict.fromkeys(licences))):
        if replace(before, allow=(*before.allow, *wanted)).verdict(expression) == "allow":
            return wanted
    return ()


def licence_reasons(expression: str, policy: LicensePolicy | None) -> list[str]:
    """Return the rules that decide on an SPDX expression, in words: a line for each licence in it."""
    if policy is None:
        return ["there is no policy: every finding is an error"]
    if LicensePolicy(default="allow").verdict(expression) == "error":
        return [f"{expression!r} is not an SPDX expression: always an error"]
    found = []
    for licence in dict.fromkeys(_licences(_WORD.findall(expression))):
        verdict, rule = policy.rule_for(licence)
        found.append(f"{licence}: {verdict}, by {rule}")
    for operator, milder in (("OR", "milder"), ("AND", "severer")):
        if f" {operator} " in expression:
            found.append(f"of A {operator} B, the {milder} verdict applies")
    return found


def _judged(finding: Finding, policy: LicensePolicy | None) -> Finding:
    if policy is None:
        return finding._replace(level="error")
    licence = finding.source.file.source.license
    verdict, is_denied = policy.verdict(licence), policy.denies(licence)
    # The first of the other places whose licence the policy likes less than that of the source.
    refuses = policy.denies if verdict == "error" else lambda licence: policy.verdict(licence) == "error"
    others = () if is_denied else finding.also_in
    objection = next((place for place in others if refuses(place.file.source.license)), None)
    if objection and verdict != "error":
        return finding._replace(level="warning", objection=objection)
    if verdict == "allow":
        return finding._replace(level="note", suppressed=finding.suppressed or "policy")
    return finding._replace(level=verdict, denied=is_denied, objection=objection)


def _rule(key: str, pattern: str, verdict: PolicyVerdict) -> _Rule:
    check_pattern(pattern)
    text = pattern.lower()
    if re.search(r"[\s()]", text.replace(" with ", "", 1)):
        raise ValueError(f"{pattern!r} is more than one licence; write a pattern for each")
    return " with " in text, compiled_glob(text), verdict, f'policy.{key}: "{pattern}"'


def _licences(words: Iterable[str]) -> list[str]:
    return [word for word in words if word not in {"(", ")", "AND", "OR"}]


def _fold(words: list[str], verdicts: dict[str, PolicyVerdict]) -> PolicyVerdict:
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
