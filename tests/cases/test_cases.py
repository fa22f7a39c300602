"""Run the cases; ``support/cases.py`` explains how they are written."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from support.cases import Case, Known, all_cases, differences, found, parsed
from support.command import build, winnow
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

INDEXES: dict[tuple[Known, ...], Path] = {}
CASES = all_cases()


@pytest.fixture
def index(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of what a case knows, built once for all cases that know the same."""
    if case.known not in INDEXES:
        folder = tmp_path_factory.mktemp("known")
        for known in case.known:
            path = folder / known.source / known.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(known.text)
        for source, licence in {known.source: known.licence for known in case.known}.items():
            build(folder / source, folder / "known.db", "--license", licence, name=source)
        INDEXES[case.known] = folder / "known.db"
    return INDEXES[case.known]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_scan_finds_what_the_case_says(case: Case, index: Path, tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit(dict(case.before))
    checkout.git("switch", "--quiet", "--create", "change")
    checkout.commit(dict(case.after))
    ended = winnow("scan", "--range", "main...HEAD", "--index", index, "--format", "json", cwd=checkout.root)
    wrong = list(differences(case.expected, found(ended)))
    assert not wrong, "\n".join([case.name, *wrong])
    fails = any(one["level"] == "error" and not one["suppressed"] for one in ended.findings())
    assert ended.status == fails
    counts = Counter("suppressed" if one["suppressed"] else one["level"] for one in ended.findings())
    assert +Counter(ended.report()["summary"]) == counts


GOOD = "--- known a MIT a.py\nx\n=== Nothing\n--- after b.py\ny\n--- find\nnothing\n"


def test_a_case_is_read_as_it_is_written() -> None:
    (case,) = parsed(GOOD, "a.txt")
    assert case == Case("a.txt: Nothing", (Known("a", "MIT", "a.py", "x\n"),), {}, {"b.py": "y\n"}, ("nothing",))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("--- find\nnothing\n", "", "a.txt: Nothing: the case expects nothing"),
        ("nothing\n", "", "a.txt: Nothing: the case expects nothing"),
        ("nothing\n", "b.py:1 verbatim\n", "'b.py:1 verbatim' is neither a finding"),
        ("--- after b.py", "--- afterwards", "a.txt:4: 'afterwards' is no section"),
        ("--- known a MIT a.py\nx\n", "", "a case needs known code and a change"),
        ("--- after b.py\n", "", "a.txt:4: this line belongs to no section"),
        ("=== Nothing\n", "", "a.txt: there is no case"),
        ("--- find", "--- after b.py\n--- find", "a.txt:6: there is a section 'after b.py' already"),
        ("\ny\n", "\n@code none.py\n", "a.txt:5: there is no none.py in tests/cases/code"),
    ],
)
def test_a_malformed_case_says_where_and_what(old: str, new: str, problem: str) -> None:
    with pytest.raises(ValueError, match=r"a\.txt") as raised:
        parsed(GOOD.replace(old, new, 1), "a.txt")
    assert problem in str(raised.value)


FINDING = "b.py:1-9 verbatim strong error of a a.py:1-9 MIT"


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("nothing", [FINDING]), (FINDING, ["nothing"]), (FINDING, [FINDING, FINDING]), ("notice: b", ["notice: a"])],
)
def test_each_difference_is_named(expected: str, actual: list[str]) -> None:
    assert list(differences((expected,), actual))


def test_a_notice_may_say_more_and_a_finding_may_not() -> None:
    assert list(differences((FINDING, "notice: b"), [FINDING, "notice: a b c"])) == []
    assert list(differences((FINDING,), [f"{FINDING} suppressed by inline"])) == [
        f"- expected {FINDING}",
        f"+ found    {FINDING} suppressed by inline",
    ]
