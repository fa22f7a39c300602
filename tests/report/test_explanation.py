"""The advice of an explanation is true: a rule that is copied from it is about the finding, and about nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from support.reports import finding
from winnow_ci.model.findings import Reason
from winnow_ci.policy.patterns import PathPatterns, SourcePatterns
from winnow_ci.report import ReportStyle, explanation
from winnow_ci.report.explanation import Explanation


def advised(name: str, path: str, key: str) -> list[str]:
    """The patterns that an explanation advises for a key of the configuration."""
    one = finding(path=path)
    source = one.source.file.source._replace(name=name)
    one = one._replace(source=one.source._replace(file=one.source.file._replace(source=source)))
    text = explanation.render(Explanation(one, (), 16, (27,), (), ()), ReportStyle())
    (advice,) = re.findall(rf": ({key}: .*) in \.winnow\.yml$", text, re.MULTILINE)
    return list(yaml.safe_load(advice)[key])


@pytest.mark.parametrize("name", ["curl", "two words", "a*b", "what?", "[ab]", "a[", 'a"b', "a\\b", "é"])
def test_the_advice_on_a_source_names_it_and_no_other(name: str) -> None:
    patterns = SourcePatterns(tuple(advised(name, "src/a.c", "own")))
    assert patterns.matches(name)
    assert not any(patterns.matches(other) for other in ("a", "axb", "what!", "b", "CURL", ""))


@pytest.mark.parametrize("path", ["src/a.c", "a.c", "[id].js", "app/[id]/page.tsx", "a*.c", "src/wh?t", " "])
def test_the_advice_on_a_file_names_it_and_no_other(path: str) -> None:
    patterns = PathPatterns(tuple(advised("curl", path, "boilerplate")))
    assert patterns.matches(path)
    others = ("lib/src/a.c", "lib/a.c", "i.js", "app/i/page.tsx", "ab.c", "src/what", "lib/[id].js", "src/ ")
    assert not any(patterns.matches(other) for other in others)


def test_there_is_no_advice_on_licences_where_none_helps() -> None:
    text = explanation.render(Explanation(finding(), (), 16, (27,), (), ()), ReportStyle())
    assert "on such terms" not in text
    text = explanation.render(Explanation(finding(), (), 16, (27,), (), ("x",)), ReportStyle())
    assert '\n  all code on such terms: policy: {allow: ["x"]} in .winnow.yml\n' in text


def test_it_says_where_the_licence_was_read() -> None:
    one = finding("GPL-3.0-only")
    assert "licence " not in explanation.render(Explanation(one, (), 16, (27,), (), ()), ReportStyle())
    source = one.source.file.source._replace(license_from="the file or its folder")
    file = one.source.file._replace(source=source, package_license="MIT")
    one = one._replace(source=one.source._replace(file=file))
    text = explanation.render(Explanation(one, (), 16, (27,), (), ()), ReportStyle())
    assert "  licence GPL-3.0-only, from the file or its folder\n" in text
    assert "  licence: this file GPL-3.0-only, curl as a whole MIT\n" in text


@pytest.mark.parametrize(("suppressed", "told"), [("baseline", False), ("policy", False), ("inline", True)])
def test_what_is_allowed_needs_no_advice_but_where_a_comment_does_not_count(suppressed: Any, told: bool) -> None:
    one = finding()._replace(suppressed=suppressed, reason="ours")
    text = explanation.render(Explanation(one, (), 16, (27,), (), ()), ReportStyle())
    assert ("\nto allow it\n" in text) == told
    assert text.count("winnow-ci approve ") == told
    assert "winnow-ci: allow" not in text


@pytest.mark.parametrize(
    ("name", "said"), [("generated code", "weak, since it is generated code: report.weak"), (None, "weak: report.weak")]
)
def test_it_says_which_filter_made_a_finding_weak(name: str | None, said: str) -> None:
    one = finding()._replace(strength="weak", filter=name)
    assert said in explanation.render(Explanation(one, (), 16, (27,), (), ()), ReportStyle())


def test_it_says_what_speaks_for_a_copy_and_against_it_by_weight() -> None:
    reasons = (Reason("breaks", 0.2, -0.75), Reason("names", 2.0, 0.11), Reason("score", 57.0, 2.31), Reason("x", 1, 0))
    one = finding()._replace(log_odds=2.3, reasons=reasons)
    written = explanation.render(Explanation(one, (), 16, (27,), (), ()), ReportStyle())
    assert "very likely a copy (log-odds 2.3)" in written
    told = written.partition("for and against a copy, by weight\n")[2].split("\n")[:4]
    assert [" ".join(line.split()) for line in told] == [
        "+2.3 bits of structure and text: 57",
        "+0.1 equal rare names: 3",
        "-0.8 breaks per ten tokens: 0.2",
        "",
    ]
