"""A scan goes batch by batch, and shows as much of a finding as a person reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.command import build
from support.counting_store import CountingStore
from support.donor import DISTRICTS, MERGE_CLOSURES, SHORTEST_ROUTE, write_known
from support.repository import Checkout
from winnow_ci import git
from winnow_ci.config.settings import Settings
from winnow_ci.index import IndexReader, WholeIndex
from winnow_ci.languages import front_end_of
from winnow_ci.model import Tokens
from winnow_ci.model.findings import BaselineUse, Decision, ShownCode
from winnow_ci.policy.acceptance import updated
from winnow_ci.scanner import ScanChoices, Suppressions, scan
from winnow_ci.scanner.files import PreparedFile
from winnow_ci.scanner.scan import Tally
from winnow_ci.scanner.show import CopiedFile, KnownFile, SourceExcerpts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from winnow_ci.model.findings import Finding


def test_six_lines_of_a_finding_are_shown_unless_more_are_asked_for(tmp_path: Path) -> None:
    build(write_known(tmp_path / "source"), tmp_path / "known.db")
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"copy.py": SHORTEST_ROUTE.text})
    repository = git.Repository.find(checkout.root)
    with WholeIndex(tmp_path / "known.db") as index:
        (plain,) = scan(repository, git.everything(repository), [index], Settings()).findings
        eight = ScanChoices(shown_code=ShownCode(lines=8))
        (more,) = scan(repository, git.everything(repository), [index], Settings(), eight).findings
    lines = SHORTEST_ROUTE.text.split("\n")
    assert plain.excerpt == tuple(lines[:6])
    assert more.excerpt == tuple(lines[:8])


def test_each_excerpt_is_made_once_and_only_for_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(write_known(tmp_path / "source"), tmp_path / "known.db", "--with-text")
    checkout = Checkout.create(tmp_path / "checkout")
    # Part of the second copy was there before, so that its file is matched more than once.
    checkout.commit({"kept.py": DISTRICTS.text})
    checkout.commit({"one.py": SHORTEST_ROUTE.text, "two.py": MERGE_CLOSURES.text + DISTRICTS.text})
    repository = git.Repository.find(checkout.root)
    made: list[str] = []
    shown = SourceExcerpts.shown

    def counted(excerpts: SourceExcerpts, finding: Finding, copied: CopiedFile, known: KnownFile) -> Finding:
        made.append(finding.path)
        return shown(excerpts, finding, copied, known)

    monkeypatch.setattr(SourceExcerpts, "shown", counted)
    with WholeIndex(tmp_path / "known.db") as index:
        change = git.between(repository, "HEAD~1..HEAD")
        found = scan(repository, change, [index], Settings()).findings
        assert sorted(made) == [finding.path for finding in found] == ["one.py", "two.py"]
        made.clear()
        accepted = Suppressions(updated((), found[1:], BaselineUse(), Decision("asked")))
        one, two = scan(repository, change, [index], Settings(), ScanChoices(suppressions=accepted)).findings
    assert made == ["one.py"]
    assert (one.suppressed, bool(one.excerpt), bool(one.beside)) == (None, True, True)
    assert (two.suppressed, two.excerpt, two.beside) == ("baseline", (), None)


def prepared(tokens: int, *, added: bool = True) -> PreparedFile:
    ids, lines = np.broadcast_to(np.uint64(1), tokens), np.broadcast_to(np.int32(1), tokens)
    of_file = Tokens(ids, ids, lines, lines, np.broadcast_to(np.uint8(7), tokens))
    return PreparedFile("a.py", b"", front_end_of("python"), of_file, (), np.broadcast_to(np.bool_(added), tokens))


@pytest.mark.parametrize(
    ("tokens", "batches"),
    [
        ([200_000, 200_000, 5], [2, 1]),
        ([200_000, 199_999, 5, 5], [3, 1]),
        ([900_000, 5], [1, 1]),
        ([5, 900_000], [2]),
        ([400_000], [1]),
        ([], []),
    ],
)
def test_a_batch_is_full_with_400_000_tokens(tokens: list[int], batches: list[int]) -> None:
    assert batched(map(prepared, tokens)) == batches


def batched(files: Iterable[PreparedFile]) -> list[int]:
    tally = Tally(0, lambda done, total: None)
    return [len(batch) for batch, _ in tally.batches(files)]


def test_files_without_added_tokens_are_of_no_batch() -> None:
    assert batched([prepared(900_000, added=False), prepared(0), prepared(5)]) == [1]


@pytest.mark.parametrize("code", [{}, {"copy.py": SHORTEST_ROUTE.text}])
def test_all_data_is_asked_for_with_the_code_of_a_batch(tmp_path: Path, code: dict[str, str]) -> None:
    data = {f"{number}.json": json.dumps([*range(number, number + 999)]) for number in range(9)}
    source = write_known(tmp_path / "source")
    (source / "level.json").write_text(data["3.json"])
    build(source, tmp_path / "known.db")
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit(data | code)
    repository = git.Repository.find(checkout.root)
    store = CountingStore(tmp_path / "known.db")
    with IndexReader(store) as index:
        report = scan(repository, git.everything(repository), [index], Settings())
    assert [finding.path for finding in report.findings] == ["3.json", *code]
    assert [skipped.path for skipped in report.skipped] == sorted(data.keys() - {"3.json"})
    assert report.files_scanned == 1 + len(code)
    # The second one is for what is known: it is read, and looked up as any file.
    assert store.questions == 2
