from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, get_args

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.reports import finding, place
from winnow_ci.model import Place, Source
from winnow_ci.policy.license_policy import LicensePolicy, PolicyVerdict, denied_place, judge, licence_reasons

POLICY = LicensePolicy(
    deny=("GPL-*", "AGPL-*", "unknown", "MIT WITH Bad-exception"),
    warn=("LGPL-*", "MPL-2.0", "GPL-2.0-only"),
    allow=("MIT", "BSD-*", "Apache-2.0", "GPL-2.0-only WITH Classpath-*"),
    default="note",
)


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        ("GPL-3.0-only", "error"),
        ("GPL-2.0-only", "error"),
        ("gpl-3.0-only", "error"),
        ("LGPL-2.1-only", "warning"),
        ("MIT", "allow"),
        ("MIT-0", "note"),
        ("unknown", "error"),
        ("curl", "note"),
        ("MIT OR GPL-2.0-only", "allow"),
        ("MIT AND GPL-2.0-only", "error"),
        ("MIT AND (LGPL-2.1-only OR GPL-2.0-only)", "warning"),
        ("(MIT AND GPL-2.0-only) OR curl", "note"),
        ("MIT OR curl AND GPL-2.0-only", "allow"),
        ("(MIT OR (MIT AND GPL-2.0-only))", "allow"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "allow"),
        ("GPL-3.0-only WITH Classpath-exception-2.0", "error"),
        ("MIT WITH Bad-exception", "error"),
        ("MIT AND GPL-2.0-only WITH Classpath-exception-2.0", "allow"),
    ],
)
def test_verdicts(expression: str, verdict: PolicyVerdict) -> None:
    assert POLICY.verdict(expression) == verdict


@pytest.mark.parametrize(
    "expression",
    [
        *("", "MIT OR", "MIT MIT", "(MIT", "MIT)", ")MIT(", "()", "MIT ()", "MIT WITH", "Some Licence"),
        *("(" * 9999, "MIT) OR (MIT", "() AND MIT MIT"),
    ],
)
def test_what_is_no_expression_is_an_error_whatever_the_policy(expression: str) -> None:
    assert LicensePolicy(allow=("*",), default="allow").verdict(expression) == "error"


VERDICTS: tuple[PolicyVerdict, ...] = get_args(PolicyVerdict)
TREES = st.recursive(
    st.sampled_from(VERDICTS),
    lambda inner: st.tuples(st.sampled_from(["AND", "OR"]), inner, inner, st.sampled_from([False, False, True])),
    max_leaves=12,
)


@given(TREES)
def test_expressions_agree_with_their_trees(tree: Any) -> None:
    policy = LicensePolicy(deny=("error",), warn=("warning",), allow=("allow",), default="note")
    text, severity = _evaluated(tree)
    event(f"brackets: {'(' in text}, both operators: {' AND ' in text and ' OR ' in text}")
    assert policy.verdict(text) == VERDICTS[severity]


def _evaluated(tree: Any) -> tuple[str, int]:
    """The text of a tree, with the brackets that it needs and some that it does not, and its severity."""
    if isinstance(tree, str):
        return tree, VERDICTS.index(tree)
    operator, *inner, is_bracketed = tree
    sides = [_evaluated(side) for side in inner]
    texts = [
        f"({text})" if operator == "AND" and _is_or(side) else text
        for side, (text, _) in zip(inner, sides, strict=True)
    ]
    text = f" {operator} ".join(texts)
    choose = min if operator == "AND" else max
    return f"({text})" if is_bracketed else text, choose(severity for _, severity in sides)


def _is_or(tree: Any) -> bool:
    return isinstance(tree, tuple) and tree[0] == "OR" and not tree[3]


@pytest.mark.parametrize("pattern", ["", "MIT OR GPL-2.0-only", "MIT Apache-2.0", "(MIT)", "a" * 1025])
def test_patterns_that_no_licence_could_match_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"licence|pattern"):
        LicensePolicy(deny=(pattern,))


def test_judging_sets_levels_and_suppresses_what_is_allowed() -> None:
    judged = judge([finding(license="GPL-2.0-only"), finding(license="MPL-2.0"), finding(license="MIT")], POLICY)
    assert [(each.level, each.suppressed) for each in judged] == [
        ("error", None),
        ("warning", None),
        ("note", "policy"),
    ]


GPL, MIT = (place(Source(name, license=name), "x.c", 1, 9) for name in ("GPL-3.0-only", "MIT"))


@pytest.mark.parametrize(
    ("license", "also_in", "level", "suppressed", "objection"),
    [
        ("MIT", (MIT,), "note", "policy", None),
        ("MIT", (MIT, GPL), "warning", None, GPL),
        ("curl", (GPL,), "warning", None, GPL),
        ("MPL-2.0", (GPL,), "warning", None, GPL),
        ("GPL-2.0-only", (GPL,), "error", None, None),
        ("GPL-2.0-only", (MIT,), "error", None, None),
    ],
)
def test_a_denied_source_that_is_not_the_first_is_a_warning(
    license: str,  # noqa: A002
    also_in: tuple[Place, ...],
    level: str,
    suppressed: str | None,
    objection: Place | None,
) -> None:
    (judged,) = judge([finding(license=license)._replace(also_in=also_in)], POLICY)
    assert (judged.level, judged.suppressed, judged.objection) == (level, suppressed, objection)


def test_without_a_policy_every_finding_is_an_error_and_no_source_is_denied() -> None:
    (judged,) = judge([finding(license="MIT")._replace(level="note", also_in=(GPL,))], None)
    assert (judged.level, judged.objection) == ("error", None)


def test_a_denied_place_is_the_first_that_deny_forbids() -> None:
    found = finding(license="MIT")._replace(also_in=(MIT, GPL))
    assert denied_place(found, POLICY) == GPL
    assert denied_place(found._replace(denied=True), POLICY) == found.source
    assert denied_place(found._replace(also_in=(MIT,)), POLICY) is denied_place(found, None) is None


def test_another_reason_to_suppress_stays() -> None:
    (judged,) = judge([finding(license="MIT")._replace(suppressed="inline")], POLICY)
    assert judged.suppressed == "inline"


# ---- reasons -------------------------------------------------------------------------------------------------------

REASONED = LicensePolicy(
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
    assert licence_reasons(licence, REASONED) == [reason]


def test_each_licence_of_an_expression_has_its_rule() -> None:
    assert licence_reasons("MIT AND (MIT AND unknown)", REASONED) == [
        'MIT: allow, by policy.allow: "MIT"',
        'unknown: error, by policy.deny: "unknown"',
        "of A AND B, the severer verdict applies",
    ]
    assert licence_reasons("MIT OR LGPL-3.0-only", REASONED) == [
        'MIT: allow, by policy.allow: "MIT"',
        'LGPL-3.0-only: warning, by policy.warn: "LGPL-*"',
        "of A OR B, the milder verdict applies",
    ]


def test_without_rules_there_is_a_reason_all_the_same() -> None:
    assert licence_reasons("MIT", None) == ["there is no policy: every finding is an error"]
    assert licence_reasons("MIT MIT", REASONED) == ["'MIT MIT' is not an SPDX expression: always an error"]


PATTERNS = st.lists(
    st.sampled_from(["MIT", "mit", "*", "GPL-*", "G*-only", "GPL-2.0-only WITH *", "gpl-* with *"]), max_size=3
)


@given(
    st.builds(
        LicensePolicy,
        deny=PATTERNS.map(tuple),
        warn=PATTERNS.map(tuple),
        allow=PATTERNS.map(tuple),
        default=st.sampled_from(VERDICTS),
    ),
    st.sampled_from(["MIT", "GPL-2.0-only", "GPL-2.0-only WITH Classpath-exception-2.0", "X11"]),
)
def test_verdict_and_reason_are_those_of_the_first_rule_that_matches(policy: LicensePolicy, licence: str) -> None:
    verdict, rule = _first_rule(policy, licence)
    event(f"by {rule.split(':')[0]}{' of an exception' if ' WITH ' in rule.upper() else ''}")
    assert policy.verdict(licence) == verdict
    assert licence_reasons(licence, policy) == [f"{licence}: {verdict}, by {rule}"]


def _first_rule(policy: LicensePolicy, licence: str) -> tuple[str, str]:
    rules = [
        (verdict, key, pattern)
        for verdict, key in (("error", "deny"), ("warning", "warn"), ("allow", "allow"))
        for pattern in getattr(policy, key)
    ]
    for names_exception, text in ((True, licence), (False, licence.split(" WITH ", maxsplit=1)[0])):
        for verdict, key, pattern in rules:
            if (" WITH " in pattern.upper()) == names_exception and fnmatchcase(text.lower(), pattern.lower()):
                return verdict, f'policy.{key}: "{pattern}"'
    return policy.default, f"policy.default: {policy.default}"


@pytest.mark.parametrize(
    ("expression", "denied"),
    [
        ("GPL-3.0-only", True),
        ("MIT", False),
        ("Zlib", False),
        ("MIT OR GPL-3.0-only", False),
        ("Zlib OR GPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", True),
        ("GPL-3.0-only WITH Classpath-exception-2.0", False),
        ("GPL-3.0-only WITH GCC-exception-3.1", True),
        ("unknown", True),
        ("MIT AND", True),
    ],
)
def test_what_deny_names_is_denied_whatever_the_default_is(expression: str, *, denied: bool) -> None:
    allowed = ("MIT", "GPL-3.0-only WITH Classpath-exception-2.0")
    for default in ("error", "warning", "note", "allow"):
        policy = LicensePolicy(("GPL-*", "unknown"), ("GPL-*",), allowed, default)  # type: ignore[arg-type]
        assert policy.denies(expression) is denied


@pytest.mark.parametrize(
    ("policy", "licence", "denied"),
    [
        (POLICY, "GPL-3.0-only", True),
        (POLICY, "no (expression", True),
        (POLICY, "LGPL-2.1-only", False),
        (LicensePolicy(deny=("GPL-*",), default="error"), "curl", False),
        (None, "GPL-3.0-only", False),
    ],
)
def test_denied_is_what_the_policy_names_and_not_every_error(
    policy: LicensePolicy | None, licence: str, denied: bool
) -> None:
    (judged,) = judge([finding(licence)], policy)
    assert judged.denied is denied
