"""What a push of several branches brings is one report."""

from __future__ import annotations

from support.reports import CASES
from winnow_ci.model.findings import ScanReport, UsedIndex
from winnow_ci.scanner import combined

ONE = CASES["one"]._replace(indexes=(UsedIndex("a.db", "aa"),), policy_digest="1" * 64, lacking=("a text",))


def changed(report: ScanReport = ONE) -> ScanReport:
    return report._replace(indexes=(UsedIndex("b.db", "bb"), *ONE.indexes), policy_digest="2" * 64)


def test_what_a_scan_went_by_is_told_once() -> None:
    both = combined([ONE, ONE])
    assert (both.indexes, both.policy_digest, both.lacking) == (ONE.indexes, ONE.policy_digest, ("a text",))
    assert combined([ONE, changed()]).indexes == (UsedIndex("a.db", "aa"), UsedIndex("b.db", "bb"))


def test_rules_of_several_bases_have_one_digest_in_any_order() -> None:
    digest = combined([ONE, changed()]).policy_digest
    assert len(digest) == 64
    assert digest not in {ONE.policy_digest, changed().policy_digest}
    assert combined([changed(), ONE, ONE]).policy_digest == digest
