"""A configuration that others extend: what it may say, and what of two counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.config.index_reference import PinnedFile, parse_index_reference
from winnow_ci.config.settings import ReportThresholds, Settings, SharedConfiguration, Snippet, parse_settings
from winnow_ci.config.yaml_readers import joined_nodes
from winnow_ci.errors import ConfigError
from winnow_ci.policy.license_policy import LicensePolicy
from winnow_ci.policy.patterns import PathPatterns, SourcePatterns

URL = "https://example.org/winnow.yml"
EXTENDS = f"extends: {{url: '{URL}', sha256: '{'0' * 64}'}}\n"
KNOWN = f"https://example.org/known.db#sha256={'a' * 64}"


def read(own: str, shared: str | bytes | None = None) -> Settings:
    text = shared.encode() if isinstance(shared, str) else shared
    found = None if text is None else SharedConfiguration(text, URL)
    return parse_settings(own.encode(), ".winnow.yml", Path("repo"), found)


def refused(own: str, shared: str | bytes) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read(own, shared)
    return caught.value


def test_what_is_extended_is_named_by_url_and_sha256() -> None:
    assert read(EXTENDS) == Settings(extends=PinnedFile(URL, "0" * 64))
    assert read(EXTENDS, "") == read(EXTENDS)


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        (f"extends: {{url: '{URL}'}}", "extends: a configuration at a URL needs its sha256"),
        (f"extends: {{sha256: '{'a' * 64}'}}", "extends: a configuration at a URL needs its url"),
        (f"extends: {{url: 'http://example.org/a.yml', sha256: '{'a' * 64}'}}", "is not an https URL"),
        (f"extends: {{url: shared.yml, sha256: '{'a' * 64}'}}", "is not an https URL"),
        (f"extends: {{url: '{URL}', sha256: abc}}", "64 hexadecimal digits"),
        (f"extends: {URL}", "extends must be a mapping"),
        (f"extends: [{{url: '{URL}', sha256: '{'a' * 64}'}}]", "extends must be a mapping, not a list"),
    ],
)
def test_it_must_be_pinned(own: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(own)
    assert caught.value.problem.startswith(".winnow.yml:1: ")
    assert problem in caught.value.problem


def test_alone_each_says_what_it_says() -> None:
    shared = f"index: [{KNOWN}]\npolicy: {{deny: [unknown], default: note}}\nreport: {{weak: 'off'}}\n"
    found = read(EXTENDS, shared)
    assert found.index == (parse_index_reference(KNOWN),)
    assert found.policy == LicensePolicy(deny=("unknown",), default="note")
    assert found.report == ReportThresholds(weak="off")
    assert read(f"{EXTENDS}k: 20\nbaseline: b.json", shared).baseline == Path("repo/b.json")


def test_lists_are_joined_and_of_single_values_the_repositorys_counts() -> None:
    shared = f"""\
index: [{KNOWN}]
languages: [c]
paths: {{include: ['src/**'], exclude: [vendor]}}
boilerplate: ['builtin:generated', {{language: c, text: x}}]
own: [acme-*]
policy: {{deny: ['GPL-*'], warn: [MPL-2.0], default: warning, outbound: MIT}}
report: {{min_tokens: 30, weak: 'off'}}
suppressions: {{inline: never}}
assistant: {{unchecked: block}}
"""
    own = f"""\
{EXTENDS}
index: [own.db]
languages: [python]
paths: {{include: ['lib/**'], exclude: [build]}}
boilerplate: ['tools/**', {{language: c, text: y}}]
own: [widget]
policy: {{deny: [unknown], allow: [MIT], default: allow, outbound: apache-2.0}}
report: {{min_tokens: 20, min_tokens_renamed: 40}}
suppressions: {{inline: always}}
"""
    assert read(own, shared) == Settings(
        index=(parse_index_reference(KNOWN), Path("repo/own.db")),
        languages=("c", "python"),
        include=PathPatterns(("src/**", "lib/**")),
        exclude=PathPatterns(("vendor", "build")),
        boilerplate=PathPatterns(("tools/**",)),
        builtins=("generated",),
        snippets=(Snippet("c", "x"), Snippet("c", "y")),
        policy=LicensePolicy(("GPL-*", "unknown"), ("MPL-2.0",), ("MIT",), "allow", "Apache-2.0"),
        report=ReportThresholds(20, 40, "off"),
        own=SourcePatterns(("acme-*", "widget")),
        inline="always",
        unchecked="block",
        extends=PinnedFile(URL, "0" * 64),
    )


def test_what_is_denied_stays_denied_unless_an_exception_is_named() -> None:
    shared = "policy: {deny: ['GPL-*']}"
    allowing = read(f"{EXTENDS}policy: {{allow: ['GPL-*', GPL-2.0-only], default: allow}}", shared).policy
    assert allowing is not None
    assert allowing.verdict("GPL-2.0-only") == "error"
    classpath = "GPL-2.0-only WITH Classpath-exception-2.0"
    assert allowing.verdict(classpath) == "error"
    excepting = read(f"{EXTENDS}policy: {{allow: ['{classpath}']}}", shared).policy
    assert excepting is not None
    assert [excepting.verdict(one) for one in (classpath, "GPL-2.0-only")] == ["allow", "error"]


@pytest.mark.parametrize(
    ("shared", "line", "problem"),
    [
        (EXTENDS, 1, "extends is not allowed in a configuration that others extend"),
        ("own: [a]\nbaseline: .winnow/baseline.json", 2, "baseline is not allowed"),
        ("k: 16", 1, "k is not allowed"),
        ("w: 9", 1, "w is not allowed"),
        ("selection: anchored", 1, "selection is not allowed"),
        ("index:\n- known.db", 2, "index: a path has no meaning here"),
        ("index: [/srv/known.db]", 1, "index: a path has no meaning here"),
        ("index: [https://example.org/known.db]", 1, "needs its sha256"),
        ("\n\npolcy: {}", 3, "unknown key 'polcy'"),
        ("policy: {deny: [GPL-2]}", 1, "SPDX does not know the licence 'GPL-2'"),
        ("a: &x [1]\n", 1, "anchors and aliases"),
        ("[" * 3000, 1, "nested deeper than 20"),
        (b"own: [\xe9]", 1, "not valid UTF-8"),
        ("- own", 1, "the file must be a mapping"),
    ],
)
def test_mistakes_name_the_shared_file_and_its_line(shared: str | bytes, line: int, problem: str) -> None:
    error = refused(EXTENDS, shared)
    assert error.exit_status == 2
    assert error.problem.startswith(f"{URL}:{line}: ")
    assert problem in error.problem


def test_a_large_one_is_refused() -> None:
    assert refused(EXTENDS, "#" * (64 * 1024 + 1)).problem == f"{URL}: larger than 64 KiB"


def test_mistakes_of_the_own_file_come_first() -> None:
    assert refused(f"{EXTENDS}polcy: {{}}", "polcy: {}").problem.startswith(".winnow.yml:2: unknown key")


VALUES = st.recursive(
    st.sampled_from("abc"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=12,
)


def joined_plainly(first: Any, second: Any) -> Any:
    if isinstance(first, list) and isinstance(second, list):
        return first + second
    if isinstance(first, dict) and isinstance(second, dict):
        both = {key: joined_plainly(first[key], second[key]) for key in first.keys() & second.keys()}
        return {**first, **second, **both}
    return second


@given(first=VALUES, second=VALUES)
def test_nodes_are_joined_as_values_would_be(first: Any, second: Any) -> None:
    node = joined_nodes(*(yaml.compose(yaml.safe_dump(value), yaml.SafeLoader) for value in (first, second)))
    assert yaml.safe_load(yaml.serialize(node)) == joined_plainly(first, second)
