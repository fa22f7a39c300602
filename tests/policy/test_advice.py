"""Which licences a policy would have to allow, for a finding to be accepted."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.policy.license_policy import LicensePolicy, PolicyVerdict, licences_to_allow
from winnow_ci.start_up import replace

CLASSPATH = "GPL-2.0-only WITH Classpath-exception-2.0"


@pytest.mark.parametrize(
    ("expression", "policy", "licences"),
    [
        ("MIT", None, ("MIT",)),
        ("unknown", LicensePolicy(), ("unknown",)),
        ("MPL-2.0 AND MIT", None, ("MPL-2.0", "MIT")),
        ("A OR B", None, ("A",)),
        ("A AND B", LicensePolicy(allow=("b",)), ("A",)),
        ("A AND B OR C", None, ("C",)),
        ("A AND A", None, ("A",)),
        ("A OR B", LicensePolicy(deny=("A",)), ("B",)),
        (CLASSPATH, LicensePolicy(deny=("GPL-*",)), (CLASSPATH,)),
        ("A", LicensePolicy(deny=("A",)), ()),
        ("A", LicensePolicy(warn=("A",)), ()),
        ("A", LicensePolicy(allow=("A",)), ()),
        ("A B", None, ()),
        ("*", None, ()),
        ("GPL-* AND MIT", None, ()),
        ("M?T OR [M]IT", None, ()),
    ],
)
def test_the_fewest_licences_are_named(
    expression: str, policy: LicensePolicy | None, licences: tuple[str, ...]
) -> None:
    assert licences_to_allow(expression, policy) == licences


LICENCES = st.sampled_from(["MIT", "GPL-2.0-only", CLASSPATH, "LicenseRef-Ours", "GPL-3.0-or-later", "Apache-2.0+"])
EXPRESSIONS = st.just("unknown") | st.recursive(
    LICENCES,
    lambda inner: st.builds("({}) {} ({})".format, inner, st.sampled_from(["AND", "OR"]), inner),
    max_leaves=8,
)
PATTERNS = st.lists(
    st.sampled_from(["MIT", "mit", "*", "GPL-*", "licenseref-*", "unknown", CLASSPATH, "* WITH *"]), max_size=3
).map(tuple)
POLICIES = st.builds(
    LicensePolicy, deny=PATTERNS, warn=PATTERNS, allow=PATTERNS, default=st.sampled_from(get_args(PolicyVerdict))
)


@given(EXPRESSIONS, POLICIES)
def test_a_policy_that_allows_them_accepts_the_expression(expression: str, policy: LicensePolicy) -> None:
    licences = licences_to_allow(expression, policy)
    event(f"licences: {min(len(licences), 2)}")
    if licences:
        assert policy.verdict(expression) != "allow"
        assert replace(policy, allow=(*policy.allow, *licences)).verdict(expression) == "allow"
