"""Several mistakes in one file are reported at once, each as if it were the only one."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.command import winnow
from support.repository import Checkout
from winnow_ci.config.baseline import parse_baseline
from winnow_ci.config.manifest import parse_manifest
from winnow_ci.config.settings import parse_settings
from winnow_ci.errors import ConfigError, ExitStatus, InvalidFileError

if TYPE_CHECKING:
    from collections.abc import Callable

# Each has one mistake, and stands for itself.
SETTINGS = (
    "polcy: {}",
    "k: 3",
    'w: "9"',
    "selection: nearest",
    "index:\n- a.db\n- ''",
    "languages: [c, cobble]",
    "paths:\n  include: []",
    "boilerplate:\n- {text: x}",
    "policy:\n  allow: [MIT, Apache-2]",
    "report: {min_token: 3}",
    "own: acme",
    "baseline: ../x.json",
    "suppressions: {inline: change}",
    "2: 3",
)
SOURCES = (
    "- pkg:pypi",
    "- six",
    "- {path: a, licence: MIT}",
    "- {path: b, license: MTI}",
    "- {path: c, url: 'https://example.org/a.tar'}",
    "- {path: d, revision: v1}",
    "- {git: e}",
    "- {url: 'https://example.org/'}",
    "- {path: f, name: ''}",
    "- {path: g, paths: {exclude: [../x]}}",
    "- {license: MIT}",
)
ENTRY = {
    "path": "a.c",
    "source": "curl",
    "source_path": "url.c",
    "license": "MIT",
    "kind": "verbatim",
    "reason": "asked",
}
ENTRIES = (
    {"expiry": "2027-01-31"},
    {"reason": " "},
    {"path": "/a"},
    {"kind": "copied"},
    {"anchor": "abc"},
    {"expires": "2027-02-30"},
)


def complaint(parse: Callable[[], object]) -> list[tuple[str, str]]:
    """The mistakes that are reported, with place and remedy."""
    with pytest.raises(ConfigError) as raised:
        parse()
    error = raised.value
    return list(error.mistakes) if isinstance(error, InvalidFileError) else [(error.problem, error.remedy)]


def settings(text: str) -> list[tuple[str, str]]:
    return complaint(lambda: parse_settings(text.encode(), "f", Path()))


def manifest(text: str) -> list[tuple[str, str]]:
    return complaint(lambda: parse_manifest(text.encode(), Path("f")))


def moved(mistakes: list[tuple[str, str]], by: int) -> list[tuple[str, str]]:
    """The mistakes, with places that many lines further down."""
    parts = [(problem.split(":", 2), remedy) for problem, remedy in mistakes]
    return [(f"{file}:{int(line) + by}:{what}", remedy) for (file, line, what), remedy in parts]


@given(st.permutations(SETTINGS), st.integers(2, len(SETTINGS)))
def test_each_mistake_in_a_configuration_is_reported_beside_others(parts: list[str], count: int) -> None:
    chosen, expected, lines = parts[:count], [], 0
    for part in chosen:
        alone = settings(part)
        assert len(alone) == 1
        expected += moved(alone, lines)
        lines += part.count("\n") + 1
    assert settings("\n".join(chosen)) == expected


@given(st.permutations(SOURCES), st.integers(1, len(SOURCES)))
def test_each_mistake_in_a_manifest_is_reported_beside_others(parts: list[str], count: int) -> None:
    alone = [manifest(f"sources:\n{part}") for part in parts[:count]]
    assert all(len(one) == 1 for one in alone)
    text = "\n".join(["index: x.txt", "sources:", *parts[:count]])
    expected = [mistake for number, one in enumerate(alone, 1) for mistake in moved(one, number)]
    assert manifest(text) == [*manifest("index: x.txt"), *expected]


def test_two_sources_of_one_name_are_noticed_also_if_both_have_mistakes() -> None:
    text = "sources:\n- {path: a, license: MTI}\n- {path: x/a, boilerplate: 1}\n- {path: y, name: a}"
    problems = [problem for problem, _ in manifest(text)]
    assert [problem.split(":")[1] for problem in problems] == ["2", "3", "3", "4"]
    assert sum("a second source called 'a'" in problem for problem in problems) == 2


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("sources:\n- {pth: a}", "unknown key 'pth'"),
        ("sources:\n- {git: a, revison: v1}", "unknown key 'revison'"),
        ("sources:\n- {git: 'http://example.org/a', revision: v1}", "is not"),
        ("sources:\n- {purl: six}", "purl"),
    ],
)
def test_what_follows_from_a_mistake_is_not_another(text: str, what: str) -> None:
    ((problem, _),) = manifest(text)
    assert problem.startswith("f:2: ")
    assert what in problem or "git" in problem


def test_a_key_that_is_there_twice_hides_nothing() -> None:
    problems = [problem for problem, _ in settings("k: 16\nk: 3\nw: 0\nk: 17")]
    assert [problem[:12] for problem in problems] == ["f:2: a secon", "f:2: k must ", "f:3: w must ", "f:4: a secon"]


def test_all_references_of_yaml_are_named() -> None:
    assert [problem[:4] for problem, _ in settings("k: &a 16\nw: !!int 3\nown: [*a]")] == ["f:1:", "f:2:", "f:3:"]


def test_each_mistake_in_a_baseline_is_reported_beside_others() -> None:
    wrong = [{**ENTRY, "anchor": f"{number:032x}", **changes} for number, changes in enumerate(ENTRIES)]
    entries: list[object] = [[], 3, *wrong, {**wrong[0], "kind": 1}]
    text = json.dumps({"version": 1, "entries": entries}, indent=0)
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line == "{" and number > 1]
    problems = [problem for problem, _ in complaint(lambda: parse_baseline(text.encode(), "f"))]
    places = [int(problem.split(":")[1]) for problem in problems]
    assert places == [1, 1, *lines, lines[-1]]
    assert [word in problem for word, problem in zip(ENTRIES, problems[2:], strict=False) for word in word] == [
        True
    ] * 6


def test_twenty_are_shown_and_the_others_counted() -> None:
    def lines(count: int) -> tuple[str, ...]:
        text = f"own: [{', '.join(['1'] * count)}]".replace(", ", ",\n").encode()
        with pytest.raises(ConfigError) as raised:
            parse_settings(text, "f", Path())
        return raised.value.lines

    assert len(lines(20)) == 1 + 2 * 20
    assert lines(21)[0] == "f has 21 mistakes"
    assert lines(21)[-1] == "and 1 more"
    assert lines(99)[0] == "f has 99 mistakes"
    assert lines(101)[0] == lines(100)[0] == "f has at least 100 mistakes"


def test_the_command_shows_all_of_a_configuration(tmp_path: Path) -> None:
    repository = Checkout.create(tmp_path / "r")
    (repository.root / ".winnow.yml").write_text("polcy: {}\npolicy:\n  deny: [GPL-2]\nk: 3\nown: [a]\nown: a\n")
    ended = winnow("scan", "--staged", cwd=repository.root)
    assert (ended.status, ended.output) == (ExitStatus.USAGE, "")
    place = f"{repository.root / '.winnow.yml'}"
    assert ended.errors.splitlines() == [
        f"winnow-ci: error: {place} has 5 mistakes",
        f"{place}:1: unknown key 'polcy'",
        "  did you mean policy?",
        f"{place}:3: policy.deny: SPDX does not know the licence 'GPL-2'",
        "  did you mean GPL-2.0-only or GPL-2.0-or-later?",
        f"{place}:4: k must be a whole number from 4 to 200, not 3",
        "  write it in decimal and without quotes, such as k: 4",
        f"{place}:6: a second own",
        "  keep one of them",
        f"{place}:6: own must be a list, not text",
        "  write own: [...]",
    ]


def test_the_command_shows_all_of_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "sources.yml").write_text("indx: a.db\nsources:\n- six\n- {path: a, license: MTI}\n")
    ended = winnow("index", "sync", "--manifest", "sources.yml", cwd=tmp_path)
    assert ended.status == ExitStatus.USAGE
    assert [line.split(": ")[0] for line in ended.errors.splitlines()[1::2]] == [f"sources.yml:{n}" for n in (1, 3, 4)]


def test_such_an_error_passes_between_processes() -> None:
    with pytest.raises(InvalidFileError) as raised:
        parse_settings(b"k: 3\nw: 0", "f", Path())
    assert InvalidFileError("a", "b").lines == ("a", "b")
    assert pickle.loads(pickle.dumps(raised.value)).lines == raised.value.lines
