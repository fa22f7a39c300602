"""Code that the repository had before is not new, wherever it stands now; code that it did not have is."""

from __future__ import annotations

import os
import shutil
from functools import partial
from textwrap import indent
from typing import TYPE_CHECKING

import pytest

from support.command import build
from support.donor import INNOCENT, LOGS, MERGE_CLOSURES, PLAN, ROUTES, SHORTEST_ROUTE, excerpt
from support.repository import Checkout
from winnow_ci import git
from winnow_ci.config.settings import Settings, parse_settings
from winnow_ci.index import WholeIndex
from winnow_ci.model import LineRange
from winnow_ci.model.regions import Region
from winnow_ci.scanner import scan
from winnow_ci.scanner.files import Match, PreparedFile
from winnow_ci.scanner.moved_code import MovedCode, _telling_lines
from winnow_ci.scanner.read import read_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from winnow_ci.git import Repository
    from winnow_ci.model.changes import ChangeSet
    from winnow_ci.model.findings import ScanReport

    Mode = Callable[[Repository], ChangeSet]

DISTRICTS = excerpt("districts")
READ_LEVELS = excerpt("read_levels", LOGS)


def last_commit(repository: Repository) -> ChangeSet:
    return git.between(repository, "HEAD~1..HEAD")


def since_head(repository: Repository) -> ChangeSet:
    return git.since(repository, "HEAD")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A repository whose first commit has known code, among its own."""
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"src/routes.py": ROUTES, "src/plan.py": PLAN, "src/greetings.py": INNOCENT})
    return checkout


@pytest.fixture
def look(checkout: Checkout, index: WholeIndex) -> Callable[..., ScanReport]:
    """Scans a change of the checkout."""

    def look(mode: Mode = last_commit, settings: Settings | None = None) -> ScanReport:
        repository = git.Repository.find(checkout.root)
        return scan(repository, mode(repository), [index], settings or Settings())

    return look


def places(report: ScanReport) -> list[tuple[str, int, int]]:
    return [(finding.path, *finding.lines) for finding in report.findings]


def without(*functions: str) -> str:
    text = ROUTES
    for function in functions:
        text = text.replace(function, "")
    return text


# ---- what was there before -------------------------------------------------------------------------------------


def test_a_function_moved_to_another_file(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    checkout.commit({"src/routes.py": without(DISTRICTS.text), "src/plan.py": f"{PLAN}\n\n{DISTRICTS.text}"})
    report = look()
    assert places(report) == []
    assert report.existing == 1


def test_a_file_split_in_two(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    (checkout.root / "src/routes.py").unlink()
    checkout.commit(
        {"src/a.py": SHORTEST_ROUTE.text, "src/b.py": f"{MERGE_CLOSURES.text}\n\n{DISTRICTS.text}"}, "split"
    )
    assert places(look()) == []


def test_two_files_joined(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    checkout.commit({"src/logs.py": LOGS})
    for name in ("logs", "routes"):
        (checkout.root / f"src/{name}.py").unlink()
    checkout.commit({"src/all.py": f"{PLAN}\n\n{READ_LEVELS.text}\n\n{DISTRICTS.text}\n\n{MERGE_CLOSURES.text}"})
    assert places(look()) == []


def test_a_copy_of_a_part_of_a_file_that_stays_as_it_is(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    checkout.commit({"lib/part.py": f"{INNOCENT}\n\n{SHORTEST_ROUTE.text}", "src/plan.py": PLAN + MERGE_CLOSURES.text})
    report = look()
    assert places(report) == []
    assert report.existing == 2


@pytest.mark.parametrize("stays", [False, True])
def test_a_function_moved_into_a_class(checkout: Checkout, look: Callable[..., ScanReport], stays: bool) -> None:
    moved = f"class Roads:\n{indent(SHORTEST_ROUTE.text, '    ')}"
    checkout.commit({"src/class.py": moved, **({} if stays else {"src/routes.py": without(SHORTEST_ROUTE.text)})})
    assert places(look()) == []


def test_a_function_moved_and_formatted_anew(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    anew = SHORTEST_ROUTE.text.replace("(candidate, neighbour)", "(\n                    candidate, neighbour\n)")
    anew = anew.replace("{start: 0.0}", "{\n        start:\n        0.0}").replace("'", '"').replace("\n    ", "\n\n\t")
    checkout.commit({"src/plan.py": f"{PLAN}\n\n{anew}"})
    assert places(look()) == []


def test_moved_code_with_small_edits(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    edited = SHORTEST_ROUTE.text.replace("length < 0", "length <= 0.5").replace("0.0", "1.0")
    edited = edited.replace("negative road", "no road").replace("break", "return place")
    checkout.commit({"src/plan.py": f"{PLAN}\n\n{edited}"})
    assert places(look()) == []


def test_a_renamed_file_with_many_edits(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    checkout.git("mv", "src/routes.py", "src/roads.py")
    checkout.commit({"src/roads.py": INNOCENT * 6 + DISTRICTS.text + PLAN * 4})
    assert last_commit(git.Repository.find(checkout.root)).files[0].was is None
    assert places(look()) == []


def test_staged_code(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    checkout.write("src/routes.py", without(DISTRICTS.text))
    checkout.write("src/plan.py", f"{PLAN}\n\n{DISTRICTS.text}\n\n{READ_LEVELS.text}")
    checkout.git("add", "--all")
    checkout.write("src/plan.py", "")
    assert [finding.source.file.path for finding in look(git.staged).findings] == ["roads/logs.py"]


def test_the_work_tree(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    (checkout.root / "src/routes.py").unlink()
    checkout.write("untracked.py", f"{PLAN}\n\n{DISTRICTS.text}")
    assert places(look(since_head)) == []


def test_what_any_side_of_a_merge_had(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    first = checkout.git("rev-parse", "HEAD")
    theirs = checkout.commit({"src/logs.py": LOGS})
    checkout.git("switch", "--quiet", "--detach", first)
    checkout.commit({"own.py": "x = 1\n"})
    checkout.git("merge", "--quiet", "--no-edit", theirs)
    merged = checkout.commit({"src/plan.py": f"{PLAN}\n\n{READ_LEVELS.text}\n\n{DISTRICTS.text}"})

    def pushed(repository: Repository, *known: str) -> ChangeSet:
        for number, commit in enumerate(known):
            checkout.git("update-ref", f"refs/remotes/origin/{number}", commit)
        return git.unsent(repository, merged, "origin")

    assert len(look(lambda repository: pushed(repository, first)).findings) == 2
    assert places(look(lambda repository: pushed(repository, first, theirs))) == []


# ---- what is new -----------------------------------------------------------------------------------------------


def test_a_new_function_beside_a_moved_one(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    text = f"{PLAN}\n\n{DISTRICTS.text}\n\n{READ_LEVELS.text}"
    checkout.commit({"src/routes.py": without(DISTRICTS.text), "src/plan.py": text})
    first = text[: text.index("def read_levels")].count("\n") + 1
    assert places(look()) == [("src/plan.py", first, text.count("\n"))]


def test_a_new_function_that_ends_as_the_code_before_it(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    """Its last line and the code below are what the base has, in one piece."""
    last = READ_LEVELS.text.rstrip().rpartition("\n")[2]
    above = f"def own():\n{last}\n\n\n"
    checkout.commit({"src/own.py": above + PLAN})
    checkout.commit({"src/own.py": f"{above}{READ_LEVELS.text}\n\n{PLAN}"})
    (finding,) = look().findings
    assert finding.lines.last == finding.added[-1].last == (above + READ_LEVELS.text).count("\n")


def test_a_new_function_after_a_moved_one_of_the_same_source(
    checkout: Checkout, look: Callable[..., ScanReport]
) -> None:
    checkout.commit({"src/routes.py": without(DISTRICTS.text)})
    text = f"{PLAN}\n\n{MERGE_CLOSURES.text}\n\n{DISTRICTS.text}"
    checkout.commit({"src/routes.py": without(DISTRICTS.text, MERGE_CLOSURES.text), "src/plan.py": text})
    (finding,) = look().findings
    first = text[: text.index("def districts")].count("\n") + 1
    assert [tuple(lines) for lines in finding.added] == [(first, text.count("\n"))]


def test_moved_code_with_new_code_inside(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    mixed = SHORTEST_ROUTE.text.replace("    else:\n", f"{indent(READ_LEVELS.text, '    ')}\n    else:\n")
    checkout.commit({"src/plan.py": f"{PLAN}\n\n{mixed}"})
    assert [finding.source.file.path for finding in look().findings] == ["roads/logs.py"]


def test_code_that_one_commit_adds_and_the_next_one_moves(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    checkout.commit({"src/logs.py": LOGS})
    (checkout.root / "src/logs.py").unlink()
    checkout.commit({"src/plan.py": f"{PLAN}\n\n{READ_LEVELS.text}"})
    assert places(look()) == []
    assert len(look(lambda repository: git.between(repository, "HEAD~2..HEAD")).findings) == 1
    assert len(look(lambda repository: git.since(repository, "HEAD~2")).findings) == 1


def test_code_that_is_staged_and_then_moved(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    checkout.stage("src/logs.py", LOGS)
    checkout.write("src/plan.py", f"{PLAN}\n\n{READ_LEVELS.text}")
    assert [finding.path for finding in look(since_head).findings] == ["src/plan.py"]


@pytest.mark.parametrize("rule", ["paths: {exclude: [src/routes.py]}", "boilerplate: [src/routes.py]"])
def test_code_from_where_nobody_looks(checkout: Checkout, look: Callable[..., ScanReport], rule: str) -> None:
    checkout.commit({"src/routes.py": without(DISTRICTS.text), "src/plan.py": f"{PLAN}\n\n{DISTRICTS.text}"})
    settings = parse_settings(rule.encode(), ".winnow.yml", checkout.root)
    assert [finding.path for finding in look(settings=settings).findings] == ["src/plan.py"]


def test_without_a_base_all_is_new(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    checkout.commit({"src/plan.py": f"{PLAN}\n\n{DISTRICTS.text}"})
    assert {finding.path for finding in look(git.everything).findings} == {"src/plan.py", "src/routes.py"}
    root = checkout.git("rev-list", "--max-parents=0", "HEAD")
    assert len(look(lambda repository: git.between_commits(repository, None, root, "first")).findings) == 1


def test_what_is_named_is_new_as_a_whole(
    checkout: Checkout, look: Callable[..., ScanReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout.root)
    for all_as_new, found in ((True, ["src/routes.py"]), (False, [])):
        report = look(partial(git.staged_in, paths=["src/routes.py"], all_as_new=all_as_new))
        assert [finding.path for finding in report.findings] == found
        assert [skip.reason[:20] for skip in report.skipped] == ([] if all_as_new else ["unchanged since HEAD"])


# ---- what it costs and whom it asks ----------------------------------------------------------------------------


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where git writes the commands that it gets."""
    log = tmp_path / "log"
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin" / "git"
    shim.write_text(f'#!/bin/sh\necho "$@" >>{log}\nexec {shutil.which("git")} "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return log


def test_nothing_is_looked_for_where_nothing_matches(
    checkout: Checkout, look: Callable[..., ScanReport], commands: Path
) -> None:
    checkout.commit({"src/new.py": INNOCENT + PLAN})
    commands.write_text("")
    assert look().existing == 0
    assert " grep " not in commands.read_text()
    assert "--diff-filter" not in commands.read_text()
    checkout.commit({"src/new.py": INNOCENT + DISTRICTS.text})
    assert look().existing == 1
    assert " grep " in commands.read_text()


@pytest.mark.parametrize(("lines", "again"), [(256, 0), (257, 1)])
def test_lines_that_were_near_one_looked_for_are_not_looked_for_again(
    checkout: Checkout, commands: Path, lines: int, again: int
) -> None:
    """That holds for 64 times four of them; of more than that, a line stands for more than four."""
    checkout.commit({"src/new.py": "".join(f"longer_line_{number:04}\n" for number in range(lines))})
    repository, file = git.Repository.find(checkout.root), prepared(checkout, "src/new.py")
    _, *looks = MovedCode(repository, last_commit(repository), Settings()).looks()
    counts = []
    for look, last in zip((*looks, looks[1]), (lines, lines - 1, lines - 1), strict=True):
        commands.write_text("")
        assert look([file], [[matched(file, 1, last)]]) == [file]
        counts.append(commands.read_text().count(" grep "))
    assert counts == [1, again, again]


@pytest.mark.parametrize(
    "name", ["new\nline.py", "re\rturn.py", ":(top)x.py", "-dash.py", "a[b]*.py", "\udcff.py", "é.py", "X.PY"]
)
def test_no_name_hides_where_code_was(checkout: Checkout, look: Callable[..., ScanReport], name: str) -> None:
    checkout.git("rm", "--quiet", "src/routes.py")
    checkout.stage(os.fsencode(f"odd {name}/{name}"), ROUTES)
    checkout.git("commit", "--quiet", "--message", "odd")
    checkout.stage("src/plan.py", f"{PLAN}\n\n{DISTRICTS.text}")
    assert places(look(git.staged)) == []


def test_a_name_without_an_ending(checkout: Checkout, look: Callable[..., ScanReport]) -> None:
    checkout.commit({"a/BUILD": ROUTES})
    checkout.git("rm", "--quiet", "src/routes.py")
    checkout.git("commit", "--quiet", "--message", "gone")
    checkout.commit({"b/[x]/BUILD": f"{PLAN}\n\n{DISTRICTS.text}"})
    assert places(look()) == []


SCRIPT = """\
export function shortestRoute(edges, origin, goal) {
  const distances = new Map([[origin, 0]]);
  const previous = new Map();
  const waiting = [[0, origin]];
  while (waiting.length > 0) {
    waiting.sort((one, other) => other[0] - one[0]);
    const [travelled, place] = waiting.pop();
    if (place === goal) break;
    if (travelled > (distances.get(place) ?? Infinity)) continue;
    for (const { target, minutes, closed } of edges[place] ?? []) {
      const total = travelled + minutes * (closed ? 3 : 1);
      if (total < (distances.get(target) ?? Infinity)) {
        distances.set(target, total);
        previous.set(target, place);
        waiting.push([total, target]);
      }
    }
  }
  const route = [goal];
  while (previous.has(route[0])) route.unshift(previous.get(route[0]));
  return { route, minutes: distances.get(goal), stops: route.length - 2 };
}
"""


@pytest.mark.parametrize(("old", "new"), [("src/a.ts", "src/b.vue"), ("src/b.vue", "src/a.js")])
def test_a_script_moved_into_a_document_or_out_of_one(tmp_path: Path, old: str, new: str) -> None:
    texts = {"vue": f"<p>it's</p>\n<script>\n{SCRIPT}</script>\n", "ts": SCRIPT, "js": SCRIPT}
    (tmp_path / "source").mkdir()
    (tmp_path / "source/known.js").write_text(SCRIPT)
    build(tmp_path / "source", tmp_path / "known.db")
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"README.md": "Routes\n"})
    checkout.commit({old: texts[old.rpartition(".")[2]]})
    checkout.commit({new: texts[new.rpartition(".")[2]]})
    repository = git.Repository.find(checkout.root)
    with WholeIndex(tmp_path / "known.db") as index:
        as_new = scan(repository, git.between(repository, "HEAD~2..HEAD~1"), [index], Settings())
        moved = scan(repository, git.between(repository, "HEAD~1..HEAD"), [index], Settings())
    assert [finding.path for finding in as_new.findings] == [old]
    assert places(moved) == []
    assert moved.existing == 1


# ---- how far it looks -------------------------------------------------------------------------------------------


def prepared(checkout: Checkout, path: str) -> PreparedFile:
    """A file of the last commit, all of it added."""
    repository = git.Repository.find(checkout.root)
    # Git may take it for a renamed file.
    changed = [file._replace(old=None) for file in last_commit(repository).files if file.path == path]
    (file,) = read_files(partial(git.read_changes, repository), changed, Settings())
    assert isinstance(file, PreparedFile)
    return file


def matched(file: PreparedFile, first: int, last: int) -> Match:
    """A match on some lines of a file."""
    lines = LineRange(first, last)
    return Match(file.path, Region(0, 0, 1, 0, 1, 1, 1, 1, "verbatim"), lines, (lines,), b"", ())


def telling(checkout: Checkout, *texts: str) -> list[str]:
    checkout.commit({"src/new.py": "".join(f"{text}\n" for text in texts)})
    file = prepared(checkout, "src/new.py")
    return [line.decode() for line in _telling_lines([file], [[matched(file, 1, len(texts))]])]


def test_the_longest_of_four_lines_is_looked_for(checkout: Checkout) -> None:
    texts = [f"line_{number}_{'x' * number}" for number in (10, 11, 12, 20, 13, 14, 15, 19, 16)]
    assert telling(checkout, *texts) == [texts[3], texts[7], texts[8]]


def test_64_lines_are_looked_for_at_most(checkout: Checkout) -> None:
    texts = [f"longer_line_{number:04}" for number in range(257)]
    assert telling(checkout, *texts[:256]) == texts[0:256:4]
    assert telling(checkout, *texts) == texts[0:257:5]


def test_a_line_of_40_characters_is_long_enough(checkout: Checkout) -> None:
    assert telling(checkout, "a" * 40, "b" * 41) == ["a" * 40]
    assert telling(checkout, "a" * 39, "b" * 41, "c" * 40) == ["b" * 41]


def test_a_line_of_less_than_ten_characters_is_not_looked_for(checkout: Checkout) -> None:
    assert telling(checkout, "   " + "a" * 10) == ["a" * 10]
    assert telling(checkout, "   " + "a" * 9) == []


def test_lines_are_looked_for_twice(checkout: Checkout) -> None:
    checkout.commit({"src/plan.py": PLAN + DISTRICTS.text})
    repository = git.Repository.find(checkout.root)
    assert len(MovedCode(repository, last_commit(repository), Settings()).looks()) == 1 + 2


def test_four_bases_are_looked_at(checkout: Checkout) -> None:
    first = checkout.git("rev-parse", "HEAD")
    bases = [first, *(checkout.commit({"src/plan.py": f"x = {number}\n"}) for number in range(3))]
    with_logs = checkout.commit({"src/logs.py": LOGS})
    checkout.git("rm", "--quiet", "src/logs.py")
    checkout.commit({"src/new.py": READ_LEVELS.text})
    repository, file = git.Repository.find(checkout.root), prepared(checkout, "src/new.py")
    matches = [[matched(file, 1, READ_LEVELS.text.count("\n"))]]
    for others, is_known in ((3, True), (4, False)):
        changes = last_commit(repository)._replace(bases=(*bases[:others], with_logs))
        _, look, _ = MovedCode(repository, changes, Settings()).looks()
        (left,) = look([file], matches)
        assert left.added.any() != is_known


@pytest.mark.parametrize(("size", "is_known"), [(8 << 20, True), ((8 << 20) + 1, False)])
def test_eight_mib_of_what_the_base_had_are_tokenised(checkout: Checkout, size: int, is_known: bool) -> None:
    text = f"# {'x' * (size - len(LOGS) - 3)}\n{LOGS}"
    checkout.commit({"src/logs.py": text})
    checkout.git("rm", "--quiet", "src/logs.py")
    checkout.commit({"src/new.py": READ_LEVELS.text})
    repository, file = git.Repository.find(checkout.root), prepared(checkout, "src/new.py")
    look, *_ = MovedCode(repository, last_commit(repository), Settings()).looks()
    (left,) = look([file], [[matched(file, 1, READ_LEVELS.text.count("\n"))]])
    assert left.added.any() != is_known


@pytest.mark.parametrize(("size", "is_known"), [(64 << 20, True), ((64 << 20) + 1, False)])
def test_64_mib_of_what_the_base_had_are_read(checkout: Checkout, size: int, is_known: bool) -> None:
    """Those of the same name first, but they are not tokenised before what holds more of the lines."""
    checkout.write("lib/new.py", " " * (size - len(LOGS)))
    checkout.commit({"src/logs.py": LOGS})
    checkout.git("rm", "--quiet", "src/logs.py", "lib/new.py")
    checkout.commit({"src/new.py": READ_LEVELS.text})
    repository, file = git.Repository.find(checkout.root), prepared(checkout, "src/new.py")
    look, *_ = MovedCode(repository, last_commit(repository), Settings()).looks()
    (left,) = look([file], [[matched(file, 1, READ_LEVELS.text.count("\n"))]])
    assert left.added.any() != is_known
