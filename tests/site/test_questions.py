"""Thirty questions of three roles, each answered within two clicks of the first page."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urldefrag

import pytest

from support.documentation import ROOT
from test_documentation import anchors, linked

FIRST = ROOT / "docs" / "README.md"
# Role, question, and the page and heading that answers it. The questions were chosen before the pages were written.
QUESTIONS = [
    ("developer", "How do I install it?", "tutorial.md#install"),
    ("developer", "Does my branch have copied code?", "scanning.md#scan-a-change"),
    ("developer", "How do I check each commit and push?", "scanning.md#hooks"),
    ("developer", "Can I check a snippet that git does not have?", "scanning.md#check-a-file-or-snippet"),
    ("developer", "How do I see findings in my editor?", "scanning.md#editors"),
    ("developer", "What does this finding say, and how sure is it?", "findings.md#read-a-finding"),
    ("developer", "How do I see both sides of a copy?", "findings.md#explain-a-finding"),
    ("developer", "This copy may stay. How do I say so?", "findings.md#let-a-copy-stay"),
    ("developer", "Why did the scan end with status 3?", "exit-codes.md#exit-statuses"),
    ("developer", "How do I stop my assistant from writing copies?", "assistants.md#check-what-an-assistant-writes"),
    ("compliance", "Which licences may pass?", "configuration.md#policy"),
    ("compliance", "How is the licence of a copy determined?", "making-an-index.md#licences"),
    ("compliance", "Can a pull request allow its own copies?", "ci.md#which-rules-apply"),
    ("compliance", "Who approved which copy, and until when?", "findings.md#list-what-was-accepted"),
    ("compliance", "What do I write into a NOTICE file?", "findings.md#write-a-notice-file"),
    ("compliance", "How do I settle hundreds of old findings?", "findings.md#settle-an-old-repository"),
    ("compliance", "Which report can I print and sign?", "reports.md#html"),
    ("compliance", "Does it write a bill of materials?", "reports.md#cyclonedx"),
    ("compliance", "Can I prove that a release was scanned?", "findings.md#prove-that-a-commit-was-scanned"),
    ("compliance", "How often is a finding wrong?", "figures.md#errors-in-unrelated-code"),
    ("platform", "How do I check pull requests on GitHub?", "ci.md#github-pull-requests"),
    ("platform", "And merge requests on GitLab?", "ci.md#gitlab"),
    ("platform", "How does a team approve a copy?", "ci.md#how-to-approve-a-copy"),
    ("platform", "Which registries can an index be built from?", "making-an-index.md#packages"),
    ("platform", "How does an index stay current?", "making-an-index.md#newer-versions"),
    ("platform", "Where should the index lie?", "sharing-an-index.md#choose-a-place"),
    ("platform", "How do all repositories get the same rules?", "organisation.md#a-shared-configuration"),
    ("platform", "What do we do if the index server is down?", "organisation.md#when-something-goes-wrong"),
    ("platform", "What can a stranger's pull request change?", "security.md#what-it-can-change"),
    ("platform", "What does it cost for a large repository or index?", "figures.md#scale"),
]


def test_there_are_ten_questions_of_each_role() -> None:
    roles = [role for role, _, _ in QUESTIONS]
    assert {role: roles.count(role) for role in roles} == {"developer": 10, "compliance": 10, "platform": 10}
    assert len({question for _, question, _ in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize(("role", "question", "answer"), QUESTIONS)
def test_a_question_is_answered_within_two_clicks(role: str, question: str, answer: str) -> None:
    path, _, anchor = answer.partition("#")
    page = ROOT / "docs" / path
    assert anchor in anchors(page), (role, question)
    one_click = {target for target in linked(FIRST) if target.suffix == ".md"}
    two_clicks = {target for each in one_click for target in linked(each)}
    assert page in one_click | two_clicks, (role, question)


@pytest.mark.parametrize(("role", "question", "answer"), QUESTIONS)
def test_the_site_has_the_answer(site: Path, role: str, question: str, answer: str) -> None:
    path, anchor = urldefrag(answer)
    text = (site / Path(path).with_suffix(".html")).read_text(encoding="utf-8")
    assert re.search(rf'\bid="{anchor}"', text), (role, question)
