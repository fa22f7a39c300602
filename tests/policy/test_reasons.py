"""The reason that is told for a verdict is the rule that has made it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.policy import LicensePolicy
from winnow_ci.policy.reasons import reasons

POLICY = LicensePolicy(
    deny=("GPL-*", "unknown"), warn=("LGPL-*", "GPL-2.0-only WITH Classpath-*"), allow=("MIT", "GPL-3.0-only")
)


@pytest.mark.parametrize(
    ("licence", "reason"),
    [
        ("GPL-3.0-only", 'GPL-3.0-only: error, by policy.deny: "GPL-*"'),
        ("unknown", 'unknown: error, by policy.deny: "unknown"'),
        ("MIT", 'MIT: allow, by policy.allow: "MIT"'),
        ("Zlib", "Zlib: error, by policy.default: error"),
        (
            "GPL-2.0-only WITH Classpath-exception-2.0",
            'GPL-2.0-only WITH Classpath-exception-2.0: warning, by policy.warn: "GPL-2.0-only WITH Classpath-*"',
        ),
    ],
)
def test_the_rule_for_a_licence(licence: str, reason: str) -> None:
    assert reasons(licence, POLICY) == [reason]


def test_each_licence_of_an_expression_has_its_rule() -> None:
    assert reasons("MIT OR LGPL-3.0-only", POLICY) == [
        'MIT: allow, by policy.allow: "MIT"',
        'LGPL-3.0-only: warning, by policy.warn: "LGPL-*"',
        "of A OR B the milder verdict holds",
    ]


def test_without_rules_there_is_a_reason_all_the_same() -> None:
    assert reasons("MIT", None) == ["there is no policy: every finding is an error"]
    assert reasons("MIT MIT", POLICY) == ["'MIT MIT' is no SPDX expression: always an error"]


PATTERNS = st.lists(st.sampled_from(["MIT", "mit", "*", "GPL-*", "G*-only", "GPL-2.0-only WITH *"]), max_size=3)


@given(
    st.builds(
        LicensePolicy,
        deny=PATTERNS.map(tuple),
        warn=PATTERNS.map(tuple),
        allow=PATTERNS.map(tuple),
        default=st.sampled_from(["error", "note"]),
    ),
    st.sampled_from(["MIT", "GPL-2.0-only", "GPL-2.0-only WITH Classpath-exception-2.0", "X11"]),
)
def test_the_rule_that_is_told_makes_the_verdict(policy: LicensePolicy, licence: str) -> None:
    (reason,) = reasons(licence, policy)
    key = {"error": "deny", "warning": "warn", "allow": "allow"}.get(policy.verdict(licence))
    assert f": {policy.verdict(licence)}, by policy." in reason
    assert f"policy.{key}: " in reason or f"policy.default: {policy.verdict(licence)}" in reason
