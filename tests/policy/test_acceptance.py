"""Which findings an entry suppresses, and what becomes of entries."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from support.reports import finding
from winnow_ci.model.findings import RECORDED, BaselineEntry, BaselineUse, Decision
from winnow_ci.policy.acceptance import ScanCoverage, accept, approved, notices, updated

if TYPE_CHECKING:
    from winnow_ci.model.findings import Finding

TODAY = dt.date(2026, 11, 21)
NOBODY = ScanCoverage()
DECISION = Decision(RECORDED, None, "Ada <ada@example.org>", TODAY)
FOUND = finding()._replace(anchor="a" * 32)
(ENTRY,) = updated((), [FOUND], accept([FOUND], (), NOBODY, TODAY)[1], DECISION)


def suppressed(
    findings: list[Finding], entries: tuple[BaselineEntry, ...], sight: ScanCoverage = NOBODY
) -> list[str | None]:
    return [each.suppressed for each in accept(findings, entries, sight, TODAY)[0]]


def named(found: Finding, **changes: str) -> Finding:
    source = found.source.file.source._replace(**changes)
    return found._replace(source=found.source._replace(file=found.source.file._replace(source=source)))


def test_a_recorded_copy_is_accepted_with_its_reason_wherever_it_moves_in_its_file() -> None:
    moved = FOUND._replace(lines=(500, 540), id="another", kind="renamed")
    entry = ENTRY._replace(reason="asked its author")
    (accepted,), use = accept([moved], (entry,), NOBODY, TODAY)
    assert (accepted.suppressed, accepted.reason) == ("baseline", "asked its author")
    assert (use.stale, use.expired, use.moved) == ((), (), ())


def test_another_copy_is_a_new_finding() -> None:
    grown = FOUND._replace(anchor="b" * 32)
    elsewhere = FOUND._replace(path="src/b.c")
    others = [named(FOUND, name="fork"), named(FOUND, license="AGPL-3.0-only")]
    assert suppressed([grown, elsewhere, *others], (ENTRY,)) == [None] * 4


def test_a_new_version_of_the_source_does_not_matter() -> None:
    assert suppressed([named(FOUND, version="9.0.0", url="x")], (ENTRY,)) == ["baseline"]


def test_a_copy_is_followed_to_one_file_when_its_own_is_gone() -> None:
    first, second = FOUND._replace(path="src/x.c"), FOUND._replace(path="src/y.c")
    gone = ScanCoverage(gone={"src/a.c"})
    assert suppressed([first, second], (ENTRY,)) == [None, None]
    assert suppressed([first, first, second], (ENTRY,), gone) == ["baseline", "baseline", None]
    _, use = accept([first, second], (ENTRY,), gone, TODAY)
    assert [entry.path for entry in updated((ENTRY,), [], use, DECISION)] == ["src/x.c"]


def test_an_entry_counts_through_its_last_day() -> None:
    last, over = ENTRY._replace(expires=TODAY), ENTRY._replace(expires=TODAY - dt.timedelta(1))
    assert suppressed([FOUND], (last,)) == ["baseline"]
    (found,), use = accept([FOUND], (over,), NOBODY, TODAY)
    assert (found.suppressed, use.expired) == (None, (over,))
    assert list(notices(use)) == ["baseline: the entry for src/a.c, from curl lib/url.c ended on 2026-11-20"]
    assert updated((over,), [found], use, DECISION) == (over,)


def test_an_entry_is_stale_only_if_its_copy_would_have_been_seen() -> None:
    def stale(sight: ScanCoverage) -> bool:
        return bool(accept([], (ENTRY,), sight, TODAY)[1].stale)

    known = {"curl"}
    assert stale(ScanCoverage(sources=known, whole={"src/a.c"}))
    assert stale(ScanCoverage(sources=known, gone={"src/a.c"}, all_files=True))
    assert not stale(ScanCoverage(sources=known, gone={"src/a.c"}))
    assert not stale(ScanCoverage(sources=known, whole={"src/b.c"}, all_files=True))
    assert not stale(ScanCoverage(sources={"other"}, whole={"src/a.c"}))


def test_another_reason_to_suppress_stays_and_keeps_the_entry_in_use() -> None:
    allowed = FOUND._replace(suppressed="policy")
    (found,), use = accept([allowed], (ENTRY,), ScanCoverage(sources={"curl"}, whole={"src/a.c"}), TODAY)
    assert (found.suppressed, use.stale) == ("policy", ())


def test_an_update_adds_keeps_and_removes() -> None:
    kept, gone = ENTRY._replace(reason="asked"), ENTRY._replace(anchor="c" * 32, path="src/0.c")
    new = FOUND._replace(path="src/z.c")
    sight = ScanCoverage(sources={"curl"}, whole={"src/0.c", "src/a.c"})
    findings, use = accept([FOUND, new, new], (gone, kept), sight, TODAY)
    assert updated((gone, kept), findings, use, DECISION) == (kept, ENTRY._replace(path="src/z.c"))
    assert updated((kept, gone), reversed(findings), use, DECISION) == updated((gone, kept), findings, use, DECISION)


@pytest.mark.parametrize(("count", "more"), [(10, []), (11, ["1"]), (1510, ["1,500"])])
def test_ten_entries_of_a_kind_are_named(count: int, more: list[str]) -> None:
    entries = tuple(ENTRY._replace(path=f"{number}.c", expires=TODAY) for number in range(count))
    told = list(notices(BaselineUse(stale=entries, expired=entries)))
    assert told[0] == "baseline: the entry for 0.c, from curl lib/url.c ended on 2026-11-21"
    named = "baseline: the entry for 0.c, from curl lib/url.c matches nothing any more; --update-baseline removes it"
    assert told[10 + len(more)] == named
    assert told[10:-10][: len(more)] == [f"baseline: {number} more entries have ended" for number in more]
    assert told[20 + len(more) :] == [f"baseline: {number} more entries match nothing any more" for number in more]


def test_a_recorded_entry_names_the_copy() -> None:
    place = "a" * 32, "src/a.c", "curl", "lib/url.c", "curl", "verbatim"
    assert BaselineEntry(*place, RECORDED, None, "Ada <ada@example.org>", TODAY) == ENTRY


def test_what_is_recorded_with_others_is_not_accepted() -> None:
    for decision, is_accepted in ((DECISION, False), (Decision("asked its author"), True)):
        (finding,), _ = accept([FOUND], approved((), [FOUND], BaselineUse(), decision), NOBODY, TODAY)
        assert finding.is_accepted == is_accepted


def test_an_approval_replaces_the_entry_of_its_copy_wherever_it_moved() -> None:
    other, moved = ENTRY._replace(anchor="c" * 32), FOUND._replace(path="src/x.c")
    _, use = accept([moved], (ENTRY, other), ScanCoverage(gone={"src/a.c"}), TODAY)
    entries = approved((ENTRY, other), [moved], use, Decision("asked its author"))
    assert [(entry.path, entry.reason) for entry in entries] == [("src/a.c", RECORDED), ("src/x.c", "asked its author")]


def test_orphans_are_followed_in_the_order_of_their_paths() -> None:
    entries = tuple(ENTRY._replace(path=path, reason=path) for path in ("src/b.c", "src/a.c", "src/c.c"))
    found = [FOUND._replace(path=path) for path in ("src/x.c", "src/y.c")]
    gone = ScanCoverage(gone={"src/a.c", "src/b.c", "src/c.c"})
    accepted, use = accept(found, entries, gone, TODAY)
    assert [each.reason for each in accepted] == ["src/a.c", "src/b.c"]
    assert use.moved == ((entries[1], "src/x.c"), (entries[0], "src/y.c"))


def test_an_entry_that_still_has_its_own_copy_is_not_followed() -> None:
    elsewhere = FOUND._replace(path="src/x.c")
    accepted, use = accept([elsewhere, FOUND], (ENTRY,), ScanCoverage(gone={"src/a.c"}), TODAY)
    assert use.stale == ()
    assert len({entry for entry, _ in use.moved}) <= 1
    assert accepted[1].suppressed == "baseline"


def test_entries_are_sorted_by_path_source_path_and_copy() -> None:
    paths = [("b", "a", "0"), ("a", "b", "1"), ("a", "a", "3"), ("a", "a", "2")]
    entries = tuple(ENTRY._replace(path=a, source_path=b, anchor=c) for a, b, c in paths)
    assert updated(entries, [], BaselineUse(), DECISION) == tuple(reversed(entries))


def test_what_is_suppressed_already_gets_no_entry() -> None:
    assert updated((), [FOUND._replace(suppressed="policy")], BaselineUse(), DECISION) == ()
