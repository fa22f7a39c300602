"""Advice is true: a policy that was edited as advised accepts the finding."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.reports import finding, place
from winnow_ci.model import Source
from winnow_ci.policy.license_policy import LicensePolicy, PolicyEdit, PolicyVerdict, edit_to_allow, judge

CLASSPATH = "GPL-2.0-only WITH Classpath-exception-2.0"


@pytest.mark.parametrize(
    ("expression", "policy", "edit"),
    [
        ("MIT", None, PolicyEdit(("MIT",))),
        ("unknown", LicensePolicy(), PolicyEdit(("unknown",))),
        ("MPL-2.0 AND MIT", None, PolicyEdit(("MPL-2.0", "MIT"))),
        ("A OR B", None, PolicyEdit(("A",))),
        ("A OR B", LicensePolicy(allow=("b",)), None),
        ("A AND B", LicensePolicy(allow=("b",)), PolicyEdit(("A",))),
        ("A AND B OR C", None, PolicyEdit(("C",))),
        ("A AND (B OR C AND D)", None, PolicyEdit(("A", "B"))),
        ("A AND A", None, PolicyEdit(("A",))),
        ("A OR B", LicensePolicy(deny=("A",)), PolicyEdit(("B",))),
        ("A OR B AND C", LicensePolicy(warn=("A*",)), PolicyEdit(("B", "C"))),
        ("AX", LicensePolicy(deny=("a*", "b*", "*x"), warn=("ax",)), PolicyEdit(("AX",), ("a*", "*x"), ("ax",))),
        (CLASSPATH, None, PolicyEdit((CLASSPATH,))),
        (CLASSPATH, LicensePolicy(deny=("GPL-*",)), PolicyEdit((CLASSPATH,))),
        (CLASSPATH, LicensePolicy(allow=("GPL-*",)), None),
        (CLASSPATH, LicensePolicy(deny=("* with *",)), PolicyEdit((CLASSPATH,), ("* with *",))),
        (f"MIT AND {CLASSPATH}", LicensePolicy(allow=("MIT",)), PolicyEdit((CLASSPATH,))),
        ("DocumentRef-x:LicenseRef-y OR Apache-2.0+", None, PolicyEdit(("DocumentRef-x:LicenseRef-y",))),
    ],
)
def test_the_least_edit_is_advised(expression: str, policy: LicensePolicy | None, edit: PolicyEdit | None) -> None:
    assert edit_to_allow(finding(expression), policy) == edit


@pytest.mark.parametrize(
    "expression",
    ["", "MIT OR", "MIT Zlib", "mit and zlib", "(MIT", "()", "( AND MIT", "(" * 9999, "x" * 1025, "*", "GPL-?", "[A]"],
)
def test_there_is_no_advice_on_what_no_policy_accepts(expression: str) -> None:
    assert edit_to_allow(finding(expression), LicensePolicy(default="note")) is None


def test_sources_beside_the_first_must_not_be_denied() -> None:
    others = tuple(place(Source(name, license=name), "x.c", 1, 9) for name in ("Zlib", "GPL-3.0-only", "curl"))
    one = finding("MIT")._replace(also_in=others)
    policy = LicensePolicy(warn=("Zlib", "curl", "MIT"))
    assert edit_to_allow(one, policy) == PolicyEdit(("MIT", "GPL-3.0-only"), (), ("MIT",))
    assert edit_to_allow(one, LicensePolicy(default="note")) == PolicyEdit(("MIT",))
    # Without the rule that has to go, another source would be an error.
    assert edit_to_allow(one, LicensePolicy(warn=("*",), allow=("GPL-3.0-only",))) == PolicyEdit(
        ("MIT", "Zlib", "curl"), (), ("*",)
    )


def test_what_suppresses_the_finding_besides_makes_no_difference() -> None:
    assert edit_to_allow(finding("MIT")._replace(suppressed="baseline"), None) == PolicyEdit(("MIT",))


def test_an_edit_in_words() -> None:
    assert PolicyEdit(("MIT", CLASSPATH)).in_words() == f'policy: {{allow: ["MIT", "{CLASSPATH}"]}}'
    told = PolicyEdit(("MIT",), ("M*", "*T"), ("MIT",)).in_words()
    assert told == 'policy: {allow: ["MIT"]}, without "M*", "*T" in deny, without "MIT" in warn'


LICENCES = st.sampled_from(["MIT", "GPL-2.0-only", CLASSPATH, "LicenseRef-Ours", "GPL-3.0-or-later", "Apache-2.0+"])
EXPRESSIONS = st.just("unknown") | st.recursive(
    LICENCES,
    lambda inner: st.builds("({}) {} ({})".format, inner, st.sampled_from(["AND", "OR"]), inner),
    max_leaves=8,
)
PATTERNS = st.lists(
    st.sampled_from(["MIT", "mit", "*", "GPL-*", "licenseref-*", "unknown", CLASSPATH, "* WITH *"]), max_size=3
).map(tuple)


@given(
    st.lists(EXPRESSIONS, min_size=1, max_size=4),
    st.none()
    | st.builds(
        LicensePolicy,
        deny=PATTERNS,
        warn=PATTERNS,
        allow=PATTERNS,
        default=st.sampled_from(get_args(PolicyVerdict)),
    ),
)
def test_a_policy_edited_as_advised_accepts_the_finding(expressions: list[str], policy: LicensePolicy | None) -> None:
    first, *others = (place(Source("x", license=each), "x.c", 1, 9) for each in expressions)
    one = finding()._replace(source=first, also_in=tuple(others))
    (judged,) = judge([one], policy)
    edit = edit_to_allow(one, policy)
    event("needs none" if edit is None else f"takes {min(edit.cost[0], 2)} rules away")
    assert (edit is None) == (judged.suppressed == "policy")
    if edit:
        (accepted,) = judge([one], edit.applied_to(policy or LicensePolicy()))
        assert accepted.suppressed == "policy"
