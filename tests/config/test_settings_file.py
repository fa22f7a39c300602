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

FULL = b"""\
index: [.winnow/index.db, /elsewhere/]   # a file and a folder
k: 23
w: 17
languages: [C, py]
paths: {include: ["src/**"], exclude: ["**/generated/**"]}
boilerplate:
  - tools/boilerplate/**
  - builtin:license-headers
  - language: py
    text: |
      import os
      \timport sys
policy:
  deny: ["GPL-*", unknown]
  warn: ["LGPL-*"]
  allow: [MIT]
  default: note
report: {min_tokens: 20, min_tokens_renamed: 50}
own: [acme-*]
baseline: .winnow/baseline.json
suppressions: {inline: never}
assistant: {unchecked: block}
"""


SHA256 = f"sha256={'a' * 64}"


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
        ("\npolcy: {}", 2, "unknown key 'polcy'", "did you mean policy?"),
        ("policy:\n  denny: []", 2, "unknown key 'denny'", "did you mean deny?"),
        ("zzz: 1", 1, "unknown key 'zzz'", "the keys are index, k"),
        ("k: 16\nw: 3\nk: 17", 3, "a second k", "one of them"),
        ('k: "16"', 1, "k must be a whole number from 4 to 200, not text", "without quotes"),
        ("k: 3", 1, "from 4 to 200, not 3", ""),
        ("k: 201", 1, "from 4 to 200, not 201", ""),
        ("k: 0x10", 1, "not 0x10", "decimal"),
        ("k: 020", 1, "not 020", "decimal"),
        ("k: 1:30", 1, "not 1:30", "decimal"),
        ("k: " + "9" * 5000, 1, "from 4 to 200", "decimal"),
        ("k: 16.0", 1, "not 16.0", "decimal"),
        ("k: [16]", 1, "not a list", ""),
        ("k:", 1, "not nothing", ""),
        ("w: 0", 1, "w must be a whole number from 1 to 500, not 0", ""),
        ("report: {min_tokens: 0}", 1, "report.min_tokens must be", ""),
        ("report: {min_tokens: 100001}", 1, "from 1 to 100,000", ""),
        ("policy:\n  allow: [MIT, NO]", 2, "policy.allow: NO is a boolean", 'quote it: "NO"'),
        ("policy:\n  allow: [1.0]", 2, "policy.allow: 1.0 is a number", 'quote it: "1.0"'),
        ("policy:\n  allow: [2020-01-01]", 2, "is a date", "quote it"),
        ("policy: {default: fail}", 1, "policy.default cannot be 'fail'", "error, warning, note, allow"),
        ("policy: {default: off}", 1, "off is a boolean", "quote"),
        ("policy:", 1, "policy must be a mapping, not nothing", "deny, warn"),
        ("policy: {deny: GPL-*}", 1, "policy.deny must be a list, not text", "[...]"),
        ("policy: {deny: [MIT OR X]}", 1, "more than one licence", ""),
        ("policy: {deny: ['']}", 1, "must not be empty", ""),
        ("policy: {deny: [MIT, Apache-2]}", 1, "policy.deny: SPDX does not know the licence 'Apache-2'", "Apache-2.0"),
        ("policy: {deny: [GPL-2]}", 1, "SPDX does not know the licence 'GPL-2'", "GPL-2.0-only"),
        ("policy: {warn: [GPL-2.0]}", 1, "policy.warn: SPDX does not know the licence 'GPL-2.0'", "GPL-2.0-only"),
        ("policy: {allow: ['BDS-*']}", 1, "SPDX does not know the licence 'BDS-*'", ""),
        (
            "policy: {deny: [GPL-2.0-only WITH Classpath]}",
            1,
            "SPDX does not know the licence",
            "Classpath-exception-2.0",
        ),
        ("policy: {deny: [[MIT]]}", 1, "policy.deny must be text, not a list", ""),
        ("1: 2", 1, "1 is a number", "quote"),
        ("? [a]\n: 2", 1, "must be text, not a list", ""),
        ("- k", 1, "the file must be a mapping, not a list", "index, k"),
        ("hello", 1, "the file must be a mapping, not text", ""),
        ("languages: [c, cobble]", 1, "there is no language 'cobble'", "Pygments"),
        ("languages: []", 1, "nothing would be scanned", "leave languages out"),
        ("paths: {include: []}", 1, "nothing would be scanned", "leave paths.include out"),
        ("paths:\n  exclude:\n    - '!src'", 3, "no negation", "fix or remove"),
        ("paths: {exclude: ['../x']}", 1, "below the root", ""),
        ("paths: {exclude: ['" + "a" * 1025 + "']}", 1, "longer than 1,024", ""),
        ('paths: {exclude: ["a\\0b"]}', 1, "control character", ""),
        ("paths: {exclude: [*.js]}", 1, "not valid YAML", "quote what starts with *"),
        ("paths: {exclude: [**/x]}", 1, "not valid YAML", "quote what starts with *"),
        ("boilerplate: [x, 'builtin:licenses']", 1, "there is no 'builtin:licenses'", "builtin:license-headers"),
        ("boilerplate: [{text: x}]", 1, "boilerplate: a snippet needs its language", "add"),
        ("boilerplate:\n- {text: x, language: cobble}", 2, "there is no language 'cobble'", "Pygments"),
        ("boilerplate: [{text: '', language: c}]", 1, "boilerplate.text must be text, and not empty", "text: |"),
        ("boilerplate: [{txt: x, language: c}]", 1, "unknown key 'txt'", "did you mean text?"),
        ("baseline: /etc/x.json", 1, "baseline: '/etc/x.json' is not below the folder", ".winnow/baseline.json"),
        ("k: 16\nbaseline: ../x.json", 2, "not below the folder of this file", ""),
        ("baseline: .git/hooks/pre-commit", 1, "not below the folder of this file", ""),
        ("baseline: ''", 1, "not below the folder of this file", ""),
        ("baseline: [x]", 1, "baseline must be text, not a list", ""),
        ("suppressions: {inline: on}", 1, "on is a boolean", "quote"),
        ("suppressions: {inline: change}", 1, "suppressions.inline cannot be 'change'", "never, base, always"),
        ("assistant: {unchecked: deny}", 1, "assistant.unchecked cannot be 'deny'", "allow, block"),
        ("suppressions: {in_line: never}", 1, "unknown key 'in_line'", "did you mean inline?"),
        ("own: acme", 1, "own must be a list, not text", ""),
        ("own: ['']", 1, "must not be empty", ""),
        ("index: [https://example.org/x.db]", 1, "index: https://example.org/x.db: an index at a URL needs its", "sum"),
        ("index:\n- a.db\n- https://example.org/x.db #sha256=12", 3, "an index at a URL needs its sha256", "sha256sum"),
        ("index: [{channel: 'https://example.org/x'}]", 1, "index: an index that follows a channel needs its", "AAAA"),
        (
            f"index:\n- http://example.org/x.db#{SHA256}",
            2,
            "http://example.org/x.db is not an https or postgresql URL",
            "",
        ),
        (f"index: ['https://ann:pw@example.org/x.db#{SHA256}']", 1, "in https://example.org/x.db", "~/.netrc"),
        ("index: [postgresql://ann@db/known]", 1, "an index on a server needs its root", "index list"),
        ("index: ['postgresql://ann:pw@db/known']", 1, "index: a password in the URI of an index", "PGPASSFILE"),
        ("index: ['']", 1, "index: an index without a name", ""),
        ("index: x.db", 1, "index must be a list, not text", ""),
        ("a: &x [1]", 1, "anchors and aliases", ""),
        ("k: *x", 1, "anchors and aliases", ""),
        ("k: !!int 16", 1, "tags", ""),
        ("k: !!python/object:os.system 16", 1, "tags", ""),
        ("<<: {k: 16}", 1, "must be text, not a special word", ""),
        ("k: 16\n---\nk: 17", 2, "a second document", "---"),
        ("k: 16\n\tw: 3", 2, "not valid YAML", "spaces"),
        ("k: 16\nw: [3", 2, "not valid YAML", "brackets"),
        ("k: 16\nw: \x01", 2, "a control character", ""),
        (b"k: 16\n# caf\xe9\n", 2, "not valid UTF-8", "UTF-8"),
        ("[" * 3000, 1, "nested deeper than 20", ""),
        ("{a: " * 3000, 1, "nested deeper than 20", ""),
        ("- " * 3000, 1, "nested deeper than 20", ""),
    ],
)
def test_mistakes_name_their_line_and_a_way_out(text: str | bytes, line: int, problem: str, remedy: str) -> None:
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
