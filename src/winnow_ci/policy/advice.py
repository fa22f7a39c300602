"""What a policy would have to say to accept a finding: the advice that ``explain`` gives about licences.

The advice follows the tree of the licence expression: of ``A OR B`` one side is enough, and the one that asks for less
is taken; of ``A AND B`` both are needed; ``X WITH Y`` is one licence. Rules of ``deny`` and ``warn`` come before those
of ``allow``, so the ones that stand in the way have to go. The edited policy judges the finding before anybody reads
the advice; what it does not accept is not advised.

The parser refuses names with the marks of a glob: a source under ``*`` does not talk anybody into allowing all.

Import this module only where advice is given: license-expression takes some 10 ms to import.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any

from license_expression import Licensing

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy.license_policy import LicensePolicy, judge
from winnow_ci.policy.patterns import compiled_glob
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from winnow_ci.model.findings import Finding

# Expressions in an index are canonical, so no list of known licences is needed to read them.
_LICENSING = Licensing()


class PolicyEdit(NamedTuple):
    """A change of a policy.

    Attributes:
        allow: patterns to add to ``allow``.
        not_denied: patterns to take out of ``deny``.
        not_warned: patterns to take out of ``warn``.
    """

    allow: tuple[str, ...] = ()
    not_denied: tuple[str, ...] = ()
    not_warned: tuple[str, ...] = ()

    @property
    def cost(self) -> tuple[int, int]:
        """How much it asks for: to take a rule away is worse than to add one."""
        return len(self.not_denied) + len(self.not_warned), len(self.allow)

    def applied_to(self, policy: LicensePolicy) -> LicensePolicy:
        """The policy as edited.

        Raises:
            ValueError: a pattern is too long, or could match no single licence.
        """
        return replace(
            policy,
            deny=tuple(pattern for pattern in policy.deny if pattern not in self.not_denied),
            warn=tuple(pattern for pattern in policy.warn if pattern not in self.not_warned),
            allow=(*policy.allow, *self.allow),
        )

    def in_words(self) -> str:
        """For people: ``policy: {allow: ["MIT"]}, without "M*" in deny``."""
        text = f"policy: {{allow: [{_listed(self.allow)}]}}"
        for key, patterns in (("deny", self.not_denied), ("warn", self.not_warned)):
            text += f", without {_listed(patterns)} in {key}" if patterns else ""
        return text


def edit_to_allow(finding: Finding, policy: LicensePolicy | None) -> PolicyEdit | None:
    """The edit of a policy after which it accepts a finding, whatever else suppresses that.

    Returns:
        None if the policy accepts it as it is, or if no edit helps: what is no SPDX expression is always an error.
    """
    before = policy or LicensePolicy()
    licences = list(dict.fromkeys(place.file.source.license for place in (finding.source, *finding.also_in)))
    wanted, edit = licences[:1], PolicyEdit()
    try:
        while True:
            edit = _all_of(_edit(_LICENSING.parse(licence), before) for licence in wanted)
            after = edit.applied_to(before)
            # A source that is denied beside an accepted one makes a warning.
            denied = [each for each in licences[1:] if each not in wanted and after.verdict(each) == "error"]
            if not denied:
                break
            wanted += denied
    except Exception:  # an index may hold any text, and the parser fails in many ways
        return None
    (judged,) = judge([finding._replace(suppressed=None)], after)
    return edit if any(edit) and judged.suppressed == "policy" else None


def _edit(node: Any, policy: LicensePolicy) -> PolicyEdit:
    """The least edit that accepts a licence expression."""
    if isinstance(node, _LICENSING.OR):
        return min((_edit(each, policy) for each in node.args), key=lambda edit: edit.cost)
    if isinstance(node, _LICENSING.AND):
        return _all_of(_edit(each, policy) for each in node.args)
    licence = str(node.render("{symbol.key}"))
    if policy.rule_for(licence)[0] == "allow":
        return PolicyEdit()
    return PolicyEdit((licence,), _about(licence, policy.deny), _about(licence, policy.warn))


def _about(licence: str, patterns: Sequence[str]) -> tuple[str, ...]:
    """The patterns that are tried on a licence before an entry of ``allow`` that names it in full."""
    whole = licence.lower()
    names_exception = " with " in whole
    return tuple(
        pattern
        for pattern in patterns
        if (" with " in pattern.lower()) == names_exception and compiled_glob(pattern.lower())(whole)
    )


def _all_of(edits: Iterable[PolicyEdit]) -> PolicyEdit:
    """What several edits ask for together."""
    columns = zip(*edits, strict=True)
    return PolicyEdit(*(tuple(dict.fromkeys(chain.from_iterable(column))) for column in columns))


def _listed(patterns: Iterable[str]) -> str:
    return ", ".join(json.dumps(pattern, ensure_ascii=False) for pattern in patterns)
