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
    manifest = parsed((Path(__file__).parent / "files" / "every-source.yml").read_text(encoding="utf-8"))
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
