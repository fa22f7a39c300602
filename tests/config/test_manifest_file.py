"""The manifest of an index: what can stand in it, and what an attacker may write."""

from __future__ import annotations

from pathlib import Path

import pytest

from winnow_ci.config.manifest import (
    MOST_BYTES_OF_MANIFEST,
    Manifest,
    declared_by_keys,
    parse_manifest,
    with_sources_added,
)
from winnow_ci.config.source import DeclaredSource, SourceOrigin
from winnow_ci.errors import ConfigError, UsageError

PLACE = Path("w/sources.yml")


def parsed(text: str) -> Manifest:
    return parse_manifest(text.encode(), PLACE)


def test_all_that_can_stand_in_it() -> None:
    manifest = parsed("""
index: known/all.db
k: 20
w: 8
selection: mod-minimizer
sources:
  - pkg:pypi/requests@2.32.3
  - purl: pkg:npm/%40types/node@20.1.0
    license: mit
    paths: {include: ["lib/**"], exclude: [test]}
  - git: https://example.org/curl.git
    revision: curl-8_1_0
  - git: git@example.org:tools/zlib.git
    all-tags: true
    name: z
  - url: https://example.org/x/zlib-1.3.tar.gz
    sha256: aa0e8d5b1fbe56bdb9b9ba4a0a4b1bbd1f1f4d8cb1f7d06bdb7bb1e1a0b0f0ee
    version: "1.3"
  - path: ../shared
    boilerplate: true
    with-text: true
""")
    assert manifest.index == Path("w/known/all.db")
    assert manifest.parameters == {"k": 20, "w": 8, "selection": "mod-minimizer"}
    requests, node, curl, z, zlib, shared = manifest.sources
    assert requests == DeclaredSource("requests", SourceOrigin(purl="pkg:pypi/requests@2.32.3"))
    assert node.name == "@types/node"
    assert (node.license, node.include, node.exclude) == ("MIT", ("lib/**",), ("test",))
    assert curl == DeclaredSource("curl", SourceOrigin(git="https://example.org/curl.git", revision="curl-8_1_0"))
    assert z == DeclaredSource("z", SourceOrigin(git="git@example.org:tools/zlib.git", all_tags=True))
    assert zlib.name == "zlib-1.3"
    assert zlib.version == "1.3"
    assert (shared.name, shared.boilerplate, shared.with_text, shared.line) == ("shared", True, True, 19)


def test_what_is_left_out_has_its_default() -> None:
    manifest = parsed("sources: []")
    assert manifest.index == Path("w/index.db")
    assert manifest.parameters == {}


MISTAKES = {
    "sauces: []": (1, "unknown key 'sauces'", "did you mean sources?"),
    "sources:\n- path: a\n  licence: MIT": (3, "unknown key 'licence'", "did you mean license?"),
    "sources:\n- path: a\n- path: b/a": (3, "a second source called 'a' (the first is on line 2)", "name: NAME"),
    "sources: [{path: a}, {path: a}]": (1, "a second source called 'a'", "name: NAME"),
    "sources:\n- requests": (2, "'requests' is not a package URL", "path: requests"),
    "sources:\n- pkg:pypi": (2, "is not a package URL", "pkg:TYPE/NAME@VERSION"),
    "sources:\n- name: x": (2, "a source with none of these", "purl, git, url, path"),
    "sources:\n- path: x\n  url: https://example.org/a.zip": (2, "a source with url and path", "one of"),
    "sources:\n- git: https://example.org/a.git": (2, "needs a revision, or all-tags", "write one"),
    "sources:\n- path: a\n  revision: v1": (2, "revision is for git repositories", "remove revision"),
    "sources:\n- path: a\n  sha256: " + "a" * 64: (2, "sha256 is for archives at a URL", "remove it"),
    "sources:\n- path: ..": (2, "a source without a name", "name: NAME"),
    "sources:\n- path: a\n  version: 1.0": (3, "1.0 is a number in YAML", 'quote it: "1.0"'),
    "sources:\n- path: a\n  license: Mitt": (3, "SPDX does not know 'Mitt'", "did you mean"),
    "sources:\n- path: a\n  boilerplate: yes": (3, "must be true or false", "boilerplate: true"),
    "sources:\n- path: a\n  paths: {include: []}": (3, "is empty", "leave"),
    "sources:\n- path: a\n  paths: {include: ['!b']}": (3, "no negation", "fix or remove"),
    "index: ../../known.db": (1, "is not a *.db file below the folder", "index: index.db"),
    "index: /etc/cron.d/x.db": (1, "is not a *.db file below the folder", "index: index.db"),
    "index: .git/x.db": (1, "is not a *.db file below the folder", "index: index.db"),
    "index: sources.yml": (1, "is not a *.db file below the folder", "index: index.db"),
    "sources:\n- *a": (2, "anchors and aliases", "write it out"),
    "sources: " + "[" * 30: (1, "nested deeper", "remove"),
    "sources:\n- path: a\n<<<<<<< ours\n- path: b\n=======\n": (3, "merge conflict", "keep both sides"),
    'sources:\n- path: "a\\nb"': (2, "a control character", "remove it"),
    'sources:\n- {path: a, name: "\\e[31mred"}': (2, "a control character", "remove it"),
}


@pytest.mark.parametrize(("text", "expected"), MISTAKES.items(), ids=list(MISTAKES))
def test_mistakes_name_their_line_and_a_way_out(text: str, expected: tuple[int, str, str]) -> None:
    line, problem, remedy = expected
    with pytest.raises(ConfigError) as raised:
        parsed(text)
    assert raised.value.problem.startswith(f"{PLACE}:{line}: ")
    assert problem in raised.value.problem
    assert remedy in raised.value.remedy


@pytest.mark.parametrize(
    "origin",
    [
        "git: 'ext::sh -c touch% pwned'",
        "git: --upload-pack=touch",
        "git: file:///home",
        "git: http://example.org/x.git",
        "git: https://user:secret@example.org/x.git",
        "git: fd::17",
        "url: http://example.org/a.tar",
        "url: file:///etc/passwd",
        "url: https://me:secret@example.org/a.tar",
        "url: https:///a.tar",
    ],
)
def test_places_that_only_an_attacker_would_write(origin: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parsed(f"sources:\n- {origin}\n  name: x\n" + ("  revision: v1\n" if origin.startswith("git") else ""))
    assert "secret" not in str(raised.value)


def test_a_manifest_has_a_size() -> None:
    assert MOST_BYTES_OF_MANIFEST == 1 << 20
    assert parsed("#" * MOST_BYTES_OF_MANIFEST).sources == ()
    with pytest.raises(ConfigError, match="larger than 1 MiB"):
        parsed("#" * (MOST_BYTES_OF_MANIFEST + 1))


def test_a_name_has_a_length() -> None:
    for key in ("name", "path"):
        assert parsed(f"sources:\n- {{path: a, {key}: {'x' * 200}}}".replace("path: a, path", "path")).sources
        with pytest.raises(ConfigError, match=r"longer than 200 characters|without a name"):
            parsed(f"sources:\n- {{path: a, {key}: {'x' * 201}}}".replace("path: a, path", "path"))


# ---- adding ----------------------------------------------------------------------------------------------------

ADDED = {
    "nothing": ("", "# Known code to compare changes with. After an edit, run: winnow-ci index sync\nsources:\n"),
    "a comment": ("# ours", "# ours\nsources:\n"),
    "an empty list": ("sources: []  # none yet\nk: 20\n", "sources:  # none yet\n"),
    "no list": ("k: 20\nsources:\nw: 8\n", "k: 20\nsources:\n"),
    "no key": ("k: 20", "k: 20\nsources:\n"),
}


@pytest.mark.parametrize(("before", "start"), ADDED.values(), ids=list(ADDED))
def test_a_first_source_is_added(before: str, start: str) -> None:
    after = with_sources_added(before.encode(), [{"purl": "pkg:pypi/six"}], PLACE).decode()
    assert after.startswith(f"{start}  - pkg:pypi/six\n")
    assert [one.name for one in parsed(after).sources] == ["six"]


def test_what_is_there_stays_as_it_is_written() -> None:
    before = (
        "# ours\nsources:\n- pkg:pypi/six   # small\n\n-   path: '../x'\n    license: 'MIT'  # Ada\n\n# end\nk: 9\n"
    )
    after = with_sources_added(
        before.encode(), [{"path": "a: b", "name": "true", "paths": {"exclude": ["*.c"]}}], PLACE
    ).decode()
    assert [line for line in after.splitlines() if line in before.splitlines()] == before.splitlines()
    last = parsed(after).sources[-1]
    assert (last.name, last.origin.path, last.exclude) == ("true", "a: b", ("*.c",))


def test_lines_end_as_they_did() -> None:
    after = with_sources_added(b"sources:\r\n- pkg:pypi/six\r\n", [{"path": "x"}], PLACE)
    assert after == b"sources:\r\n- pkg:pypi/six\r\n- path: x\r\n"


def test_a_list_on_one_line_is_left_to_its_author() -> None:
    with pytest.raises(ConfigError) as raised:
        with_sources_added(b"sources: [pkg:pypi/six]", [{"path": "x", "license": "MIT"}], PLACE)
    assert raised.value.remedy == "add this to its sources yourself: - {path: x, license: MIT}"


def test_keys_that_do_not_go_together_are_an_error_of_the_command_line() -> None:
    with pytest.raises(UsageError, match="sha256 is for archives"):
        declared_by_keys({"path": "x", "sha256": "a" * 64})
