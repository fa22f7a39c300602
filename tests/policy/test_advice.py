"""Which licences a policy would have to allow, for a finding to be accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.reports import finding, place
from winnow_ci.model import Source
from winnow_ci.policy.license_policy import LicensePolicy, PolicyVerdict, judge, licences_to_allow
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from winnow_ci.model import Finding

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
        ("(A OR B) AND C", None, ("A", "B", "C")),
        ("x" * 5000, None, ()),
        (" AND ".join("x" * 900), None, ()),
    ],
)
def test_one_licence_is_named_if_it_is_enough_and_all_if_not(
    expression: str, policy: LicensePolicy | None, licences: tuple[str, ...]
) -> None:
    assert licences_to_allow(of(expression), policy) == licences


def of(*expressions: str) -> Finding:
    """A finding whose code stands in a place under each of these."""
    first, *others = (place(Source("x", license=each), "x.c", 1, 9) for each in expressions)
    return finding()._replace(source=first, also_in=tuple(others))


def test_other_places_that_would_be_an_error_count() -> None:
    assert licences_to_allow(of("MIT", "GPL-3.0-only"), None) == ("MIT", "GPL-3.0-only")
    assert licences_to_allow(of("MIT", "GPL-3.0-only"), LicensePolicy(default="warning")) == ("MIT",)
    assert licences_to_allow(of("MIT", "GPL-3.0-only"), LicensePolicy(allow=("MIT",))) == ("GPL-3.0-only",)
    assert licences_to_allow(of("MIT", "GPL-3.0-only"), LicensePolicy(deny=("GPL-*",))) == ()


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


@given(st.lists(EXPRESSIONS, min_size=1, max_size=4), st.none() | POLICIES)
def test_a_policy_that_allows_them_accepts_the_finding(expressions: list[str], policy: LicensePolicy | None) -> None:
    one = of(*expressions)
    licences = licences_to_allow(one, policy)
    event(f"licences: {min(len(licences), 2)}")
    if licences:
        (before,) = judge([one], policy)
        given_policy = policy or LicensePolicy()
        (after,) = judge([one], replace(given_policy, allow=(*given_policy.allow, *licences)))
        assert (before.suppressed, after.suppressed) == (None, "policy")
