"""A change is judged by the rules of what it is compared with, unless its reader decides otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import Ended, build, winnow
from support.donor import CHANGE
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

CONFIGURATION = "index: [.winnow/index.db]\n"
ALLOWING = "index: [.winnow/index.db]\npolicy: {default: allow}\n"


@pytest.fixture
def pull_request(tmp_path: Path, known: Path) -> Checkout:
    """A repository with index and configuration on main, and a branch that brings copies."""
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"a.py": "a = 1\n", ".winnow.yml": CONFIGURATION, ".winnow/index.db": known.read_bytes()})
    checkout.git("switch", "--quiet", "--create", "change")
    checkout.commit(dict(CHANGE))
    return checkout


def scan(checkout: Checkout, *arguments: str | Path, **environment: str) -> Ended:
    return winnow("scan", "--range", "main...HEAD", "--format", "json", *arguments, cwd=checkout.root, **environment)


def judged(ended: Ended) -> tuple[int, list[str], list[str]]:
    levels = [finding["level"] for finding in ended.findings()]
    return ended.status, levels, ended.report()["scan"]["notices"]


def test_the_base_decides_on_a_ci_and_the_work_tree_elsewhere(pull_request: Checkout) -> None:
    pull_request.commit({".winnow.yml": ALLOWING})
    assert judged(scan(pull_request)) == (0, ["note", "note"], [])
    noticed = ["the change edits .winnow.yml: the base's version applies"]
    assert judged(scan(pull_request, "--policy-from", "base")) == (1, ["error", "error"], noticed)
    assert judged(scan(pull_request, GITHUB_ACTIONS="true")) == (1, ["error", "error"], noticed)
    assert judged(scan(pull_request, "--policy-from", "head", GITHUB_ACTIONS="true")) == (0, ["note", "note"], [])


def test_a_notice_is_said_on_stderr_too(pull_request: Checkout) -> None:
    pull_request.commit({".winnow.yml": ALLOWING})
    said = scan(pull_request, "--policy-from", "base").errors
    assert "winnow-ci: notice: the change edits .winnow.yml: the base's version applies\n" in said


def test_an_index_is_looked_at_as_the_base_has_it(pull_request: Checkout, tmp_path: Path) -> None:
    other = tmp_path / "other" / "code"
    other.mkdir(parents=True)
    (other / "other.py").write_text(
        "\n".join(f"def f{n}(a, b): return [a[{n}] + b for _ in range({n})]" for n in range(9))
    )
    build(other, tmp_path / "other.db")
    pull_request.commit({".winnow/index.db": (tmp_path / "other.db").read_bytes()})
    assert scan(pull_request).findings() == []
    noticed = ["the change edits .winnow/index.db: the base's version applies"]
    assert judged(scan(pull_request, "--policy-from", "base")) == (1, ["error", "error"], noticed)


@pytest.mark.parametrize("entry", [".winnow/index.db", ".winnow"])
def test_an_index_that_the_change_removes_is_there_still(pull_request: Checkout, entry: str) -> None:
    pull_request.git("rm", "--quiet", ".winnow/index.db")
    pull_request.commit({".winnow/keep": ""})
    assert scan(pull_request, "--policy-from", "base", "--index", entry).status == 1
    assert scan(pull_request, "--policy-from", "head", "--index", entry).complaint(3)


def test_an_index_that_is_a_link_now_is_that_of_the_base(pull_request: Checkout) -> None:
    path = pull_request.root / ".winnow" / "index.db"
    pull_request.write("mine.db", path.read_bytes())
    path.unlink()
    path.symlink_to("../mine.db")
    pull_request.commit()
    status, _, notices = judged(scan(pull_request, "--policy-from", "base"))
    assert (status, notices) == (1, ["the change edits .winnow/index.db: the base's version applies"])


def test_the_first_configuration_counts_for_its_index_only(tmp_path: Path, known: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"a.py": "a = 1\n"})
    checkout.git("switch", "--quiet", "--create", "change")
    checkout.commit({**CHANGE, ".winnow.yml": ALLOWING, ".winnow/index.db": known.read_bytes()})
    status, levels, notices = judged(scan(checkout, "--policy-from", "base"))
    assert (status, levels) == (1, ["error", "error"])
    assert notices == [
        ".winnow.yml is new: only its index is used yet",
        ".winnow/index.db is new: the change adds the index that it is compared with",
    ]


def test_a_change_cannot_bring_the_index_that_the_base_takes_from_elsewhere(tmp_path: Path, known: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"a.py": "a = 1\n", ".winnow.yml": CONFIGURATION})
    checkout.git("switch", "--quiet", "--create", "change")
    checkout.commit({**CHANGE, ".winnow/index.db": known.read_bytes()})
    problem, remedy = scan(checkout, "--policy-from", "base").complaint(3)
    assert problem.startswith(".winnow/index.db is not in the base")
    assert "--policy-from head" in remedy


def test_boilerplate_is_that_of_the_base(pull_request: Checkout) -> None:
    pull_request.git("switch", "--quiet", "main")
    pull_request.commit({".winnow.yml": f"{CONFIGURATION}boilerplate: [templates/**]\n"})
    pull_request.git("switch", "--quiet", "change")
    pull_request.git("rebase", "--quiet", "main")
    copy = dict(CHANGE)
    pull_request.commit({f"templates/{n}.py": text for n, text in enumerate(copy.values())})
    assert scan(pull_request, "--policy-from", "head").findings() == []
    assert len(scan(pull_request, "--policy-from", "base").findings()) == 2


def test_a_configuration_outside_the_repository_is_nobodys_to_change(pull_request: Checkout, tmp_path: Path) -> None:
    (tmp_path / "policy.yml").write_text("policy: {warn: ['*']}\n")
    given = ("--config", tmp_path / "policy.yml", "--index", pull_request.root / ".winnow" / "index.db")
    assert judged(scan(pull_request, "--policy-from", "base", *given)) == (0, ["warning", "warning"], [])


def test_a_file_that_a_step_of_the_job_has_written_is_no_part_of_the_change(pull_request: Checkout) -> None:
    pull_request.write("ci/lenient.yml", ALLOWING.replace(".winnow/", "../.winnow/"))
    assert judged(scan(pull_request, "--policy-from", "base", "--config", "ci/lenient.yml"))[0] == 0
    pull_request.commit()
    assert judged(scan(pull_request, "--policy-from", "base", "--config", "ci/lenient.yml"))[0] == 1


@pytest.mark.parametrize(
    ("tracked", "brought"),
    [
        ({".WINNOW.YML": ALLOWING}, {".winnow.yml": ALLOWING}),
        ({".Winnow.yml": "paths: {exclude: ['**']}\nindex: [.winnow/index.db]\n"}, None),
        ({".win\u200cnow.yml": ALLOWING}, {".winnow.yml": ALLOWING}),
    ],
    ids=["upper case", "mixed case", "a character without width"],
)
def test_a_configuration_under_another_spelling_is_the_change_s(
    tmp_path: Path, known: Path, tracked: dict[str, str], brought: dict[str, str] | None
) -> None:
    """Where case makes no difference, the second name opens the first file; here it is a file of the same content."""
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"a.py": "a = 1\n", ".winnow/index.db": known.read_bytes()})
    checkout.git("switch", "--quiet", "--create", "change")
    checkout.commit({**CHANGE, **tracked})
    (content,) = (brought or tracked).values()
    checkout.write(".winnow.yml", content)
    status, levels, notices = judged(scan(checkout, GITHUB_ACTIONS="true"))
    assert (status, levels) == (1, ["error", "error"])
    assert notices == [".winnow.yml is new: only its index is used yet"]


def test_a_baseline_and_an_index_under_another_spelling_are_the_change_s(tmp_path: Path, known: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    rules = "index: [cache/index.db]\nbaseline: accepted.json\n"
    checkout.commit({"a.py": "a = 1\n", ".winnow.yml": rules})
    checkout.git("switch", "--quiet", "--create", "change")
    checkout.commit({**CHANGE, "CACHE/INDEX.DB": known.read_bytes()})
    checkout.write("cache/index.db", known.read_bytes())
    problem, _ = scan(checkout, GITHUB_ACTIONS="true").complaint(3)
    assert problem == "cache/index.db is not in the base: the change adds the index that it would be compared with"
    checkout.git("mv", "CACHE/INDEX.DB", "other.db")
    accepting = winnow("scan", "--all", "--update-baseline", "--index", known, cwd=checkout.root)
    assert accepting.status == 0, accepting
    recorded = (checkout.root / "accepted.json").read_text()
    checkout.commit({"ACCEPTED.JSON": recorded})
    status, _, notices = judged(scan(checkout, "--index", known, GITHUB_ACTIONS="true"))
    assert status == 1
    assert "accepted.json is new: it suppresses nothing yet" in notices
