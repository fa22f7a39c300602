from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.config.index_reference import PinnedFile, ServedIndex
from winnow_ci.config.settings import ReportThresholds, Settings, Snippet, index_files, load_settings, parse_settings
from winnow_ci.errors import ConfigError, ExitStatus, IndexFileError
from winnow_ci.policy.license_policy import LicensePolicy
from winnow_ci.policy.patterns import PathPatterns, SourcePatterns

FULL = (Path(__file__).parent / "files" / "every-setting.yml").read_bytes()


def _parsed(text: str | bytes) -> Settings:
    return parse_settings(text.encode() if isinstance(text, str) else text, ".winnow.yml", Path("repo"))


def test_every_key_is_read() -> None:
    assert _parsed(FULL) == Settings(
        index=(Path("repo/.winnow/index.db"), Path("/elsewhere")),
        k=23,
        w=17,
        languages=("c", "python"),
        include=PathPatterns(("src/**",)),
        exclude=PathPatterns(("**/generated/**",)),
        boilerplate=PathPatterns(("tools/boilerplate/**",)),
        builtins=("license-headers",),
        snippets=(Snippet("python", "import os\n\timport sys\n"),),
        policy=LicensePolicy(("GPL-*", "unknown"), ("LGPL-*",), ("MIT",), "note"),
        report=ReportThresholds(20, 50),
        own=SourcePatterns(("acme-*",)),
        baseline=Path("repo/.winnow/baseline.json"),
        inline="never",
        unchecked="block",
    )


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "---\n", "\ufeff", "{}"])
def test_a_file_that_says_nothing_is_all_defaults(text: str) -> None:
    assert _parsed(text) == Settings()


def test_indexes_that_uris_name_stand_among_files() -> None:
    digest = "0123456789ABCDEFabcdef" + "0" * 42
    root = "0123456789ABCDEF" * 2
    text = f"index: [a.db, https://example.org/x.db?a=1#sha256={digest}, b, postgresql://ann@db/known#acme@{root}]"
    remote = PinnedFile("https://example.org/x.db?a=1", digest.lower())
    served = ServedIndex("postgresql://ann@db/known", "acme", root.lower())
    assert _parsed(text).index == (Path("repo/a.db"), remote, Path("repo/b"), served)


def test_an_empty_policy_is_a_policy() -> None:
    assert _parsed("policy: {}").policy == LicensePolicy()


@pytest.mark.parametrize(
    ("text", "line", "problem", "remedy"),
    [
        ("k: " + "9" * 5000, 1, "from 4 to 200", "decimal"),
        ("k: 16\nw: \x01", 2, "a control character", ""),
        (b"k: 16\n# caf\xe9\n", 2, "not valid UTF-8", "UTF-8"),
        ("[" * 3000, 1, "nested deeper than 20", ""),
        ("{a: " * 3000, 1, "nested deeper than 20", ""),
        ("- " * 3000, 1, "nested deeper than 20", ""),
    ],
)
def test_mistakes_that_no_file_here_can_hold(text: str | bytes, line: int, problem: str, remedy: str) -> None:
    """The others are in ``tests/config/mistakes``."""
    with pytest.raises(ConfigError) as caught:
        _parsed(text)
    assert caught.value.problem.startswith(f".winnow.yml:{line}: ")
    assert problem in caught.value.problem
    assert remedy in caught.value.remedy
    assert str(caught.value).count("\n") == 1
    assert caught.value.exit_status == ExitStatus.USAGE


SPLICES = st.one_of(st.binary(max_size=3), st.text("kw:[]{}- \n\t'\"#&*!|>?%@,169apolicyn", max_size=8).map(str.encode))


@st.composite
def nearly_a_file(draw: st.DrawFn) -> bytes:
    """Some lines of a file, spliced once or not at all: bytes drawn at random are never settings."""
    lines = draw(st.lists(st.sampled_from(FULL.splitlines()), max_size=6, unique=True))
    text = b"\n".join(line for line in FULL.splitlines() if line in lines)
    start = draw(st.integers(0, len(text)))
    end = start + draw(st.integers(0, 5))
    return text[:start] + draw(SPLICES) + text[end:] if draw(st.booleans()) else text


@given(nearly_a_file())
def test_any_bytes_are_settings_or_an_error_of_two_lines_for_each_mistake(text: bytes) -> None:
    try:
        settings = _parsed(text)
    except ConfigError as error:
        event("an error")
        mistakes = len(getattr(error, "mistakes", ()))
        assert str(error).count("\n") == (2 * mistakes or 1)  # noqa: PT017 - both outcomes are right
    else:
        event("no settings" if settings == Settings() else "settings")


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 65536,
        b"languages: [" + b"c," * 30000 + b"]",
        b"index:\n" + b"- a\n" * 16000,
        b"k: 16\n" * 10000,
        b"policy: {deny: [" + b"Apache-2," * 7000 + b"]}",
        b"".join(b"polcy%d: 1\n" % number for number in range(5000)),
    ],
)
def test_a_file_of_the_largest_size_takes_a_moment(text: bytes) -> None:
    started = time.process_time()
    with suppress(ConfigError):
        _parsed(text)
    assert time.process_time() - started < 3


def test_larger_files_are_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_bytes(b"#" * 65536)
    assert load_settings(tmp_path / "c.yml") == Settings()
    (tmp_path / "c.yml").write_bytes(b"#" * 65537)
    with pytest.raises(ConfigError, match="larger than 64 KiB"):
        load_settings(tmp_path / "c.yml")


def test_index_files_are_relative_to_the_configuration(tmp_path: Path) -> None:
    (tmp_path / ".winnow.yml").write_bytes(b"index: [x/y.db]")
    assert load_settings(tmp_path / ".winnow.yml").index == (tmp_path / "x/y.db",)


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe"])
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "c.yml"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(ConfigError, match=r"c\.yml: ") as caught:
        load_settings(path)
    assert "--config" in caught.value.remedy


def test_a_folder_stands_for_its_indexes(tmp_path: Path) -> None:
    for name in ("b.db", "a.db", ".a.db.unfinished.db", "notes.txt"):
        (tmp_path / name).touch()
    assert index_files(tmp_path) == [tmp_path / "a.db", tmp_path / "b.db"]
    assert index_files(Path("elsewhere.db")) == [Path("elsewhere.db")]


def test_a_folder_without_indexes_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IndexFileError, match="no index") as caught:
        index_files(tmp_path)
    assert "index build" in caught.value.remedy


def test_yaml_is_not_imported_without_a_file() -> None:
    code = "import sys, winnow_ci.config; sys.exit('yaml' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_largest_and_smallest_numbers() -> None:
    low, high = (
        _parsed(f"k: {k}\nw: {w}\nreport: {{min_tokens: {least}, min_tokens_renamed: {least}}}")
        for k, w, least in ((4, 1, 1), (200, 500, 100_000))
    )
    assert (low.k, low.w, low.report) == (4, 1, ReportThresholds(1, 1))
    assert (high.k, high.w, high.report) == (200, 500, ReportThresholds(100_000, 100_000))


@pytest.mark.parametrize(("depth", "problem"), [(20, "the file must be a mapping"), (21, "nested deeper than 20")])
def test_twenty_levels_are_read(depth: int, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        _parsed("[" * depth + "]" * depth)
