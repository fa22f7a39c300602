"""Hostile pull requests: each brings a copy of known code and something that is to hide it, or to harm its reader.

Each is a real repository and a real clone of its merge commit, scanned as on GitHub. Each ends in the right finding or
the right error, and nothing that its author wrote is obeyed by the runner or by a terminal.

Not here, because no scan can help: a workflow of a ``pull_request`` event is that of the merge commit, so a change can
edit the step that runs the scan (docs/security.md). And not here, because git refuses to check them out: ``.git`` as a
folder of a tree, in any case.
"""

from __future__ import annotations

import json
import subprocess
import sys
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import pytest
from identify.vendor.licenses import LICENSES

from support.attack import Indexes, Link, Scanned, Submodule, assert_harmless, pull_request, scan
from support.command import LONGEST, build, environment, winnow
from support.donor import INNOCENT, LOGS, MERGE_CLOSURES, PLAN, SHORTEST_ROUTE, write_known
from support.repository import Checkout
from support.slow import EXPONENTIAL, QUADRATIC

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.attack import Tree

CONFIGURATION = """\
index: [.winnow/index.db]
policy: {allow: [MIT]}
paths: {exclude: [generated/**]}
boilerplate: [templates/**]
"""
BASE: Tree = {
    ".winnow.yml": CONFIGURATION,
    ".winnow/index.db": lambda indexes: indexes.known,
    "src/plan.py": PLAN,
    "src/greetings.py": INNOCENT,
    "templates/service.py": INNOCENT,
}
LICENCE = dict(LICENSES)["MIT"]
COPY = "src/planning.py"
NOTEBOOK = "src/planning.ipynb"
TEXT = f"{PLAN}\n\n{SHORTEST_ROUTE.text}"
LINES = (13, 37)
SECRET = "hunter2"
SCRIPT = f"#!/usr/bin/env python3\n{TEXT}"
ALLOWING = "index: [.winnow/index.db]\npolicy: {default: allow}\n"
NO_POLICY: Tree = {".winnow.yml": None}
HEAD = ("--policy-from", "head")
EDITED = "notice: the change edits .winnow.yml: the base's version applies"
REPLACED = "notice: the change edits .winnow/index.db: the base's version applies"
BILLION_LAUGHS = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi"))  # noqa: B905
RECORDING = f"{CONFIGURATION}baseline: .winnow/baseline.json\n"
NOT_RECORDED: Tree = {".winnow.yml": RECORDING, ".winnow/baseline.json": '{"version": 1, "entries": []}\n'}
RECORDED = "notice: the change edits .winnow/baseline.json: the base's version applies"
COMMENT = "# winnow-ci: allow roads as we agreed\n"
COMES_WITH_IT = "this winnow-ci: allow is part of the change"
IMPORTED = "raise SystemExit(print('imported'))\n"


class Attack(NamedTuple):
    """A hostile change, and how its scan ends.

    Attributes:
        change: what it brings besides the copy at ``COPY``, or in its place.
        status: how the scan ends.
        found: files in which the copy is found.
        lines: where it is found in each of them; None where that differs.
        says: what stderr says.
        base: what the base has besides, or instead.
        arguments: of the command.
        before: what else happens to the clone before it is scanned.
    """

    change: Tree
    status: int = 1
    found: tuple[str, ...] = (COPY,)
    lines: tuple[int, int] | None = LINES
    says: str = ""
    base: Tree = MappingProxyType({})
    arguments: tuple[str, ...] = ()
    before: Callable[[Checkout], object] = lambda clone: None


def policy(text: str) -> Attack:
    """The policy of the base is replaced by a text."""
    return Attack({".winnow.yml": text}, says=EDITED)


def refused(change: Tree, says: str, status: int = 2, base: Tree = NO_POLICY, *arguments: str) -> Attack:
    """No scan can be made."""
    return Attack(change, status, (), None, says, base, arguments)


def index(content: bytes | Callable[[Indexes], bytes]) -> Attack:
    """The index of the base is replaced."""
    return Attack({".winnow/index.db": content}, says=REPLACED)


def attributes(text: str) -> Attack:
    return Attack({".gitattributes": f"{text}\n", "src/.gitattributes": f"{text}\n"})


def named(name: str | bytes, content: str | bytes = TEXT, lines: tuple[int, int] | None = LINES) -> Attack:
    """The copy stands under another name, beside the usual one, which must not get lost."""
    raw = name.encode() if isinstance(name, str) else name
    return Attack({raw: content}, found=(COPY, raw.decode("utf-8", "backslashreplace")), lines=lines)


def disguised(content: str | bytes, lines: tuple[int, int] | None = LINES) -> Attack:
    """The copy has another form."""
    return Attack({COPY: content}, lines=lines)


def cells(notebook: dict[str, object]) -> Attack:
    """The copy is in a notebook."""
    return Attack({COPY: None, NOTEBOOK: json.dumps(notebook)}, found=(NOTEBOOK,), lines=(1, 1))


def unseen(change: Tree, says: str) -> Attack:
    """The copy is not looked at, and the scan says so and fails."""
    return Attack({COPY: None, **change}, 3, (), None, says)


def slow(content: bytes, lines: tuple[int, int]) -> Attack:
    """A copy from a file that Pygments reads, where it does not get through in its time."""
    path = f"src/slow.{'boo' if QUADRATIC in content else 'chpl'}"
    said = f"1 file read by the fallback tokenizer: {path} (not lexed within "
    return Attack({COPY: None, path: content}, 1, (path,), lines, said)


def moved(path: str) -> Attack:
    """A change before this one has brought the copy to where nobody looks."""
    return Attack({COPY: None, path: None, "src/routes.py": TEXT}, found=("src/routes.py",), base={path: TEXT})


def _replaced_object(clone: Checkout) -> None:
    clone.git("replace", clone.git("rev-parse", f"HEAD:{COPY}"), clone.git("rev-parse", "HEAD:src/greetings.py"))


def _indented(text: str) -> str:
    return "".join(f"    {line}" for line in text.splitlines(keepends=True))


POLICY = {
    "the policy allows everything": policy(ALLOWING),
    "the policy allows the licence": policy(CONFIGURATION.replace("MIT", "'GPL-*'")),
    "the policy only warns": policy(CONFIGURATION.replace("allow: [MIT]", "default: warning")),
    "the policy is deleted": Attack({".winnow.yml": None}, says=EDITED),
    "the policy is empty": policy(""),
    "the policy is a link to a policy": Attack({"lax.yml": ALLOWING, ".winnow.yml": Link("lax.yml")}, says=EDITED),
    "the policy is a link to the same policy": Attack(
        {"own.yml": CONFIGURATION, ".winnow.yml": Link("own.yml")}, says=EDITED
    ),
    "the policy is a link to a secret": Attack({".winnow.yml": Link("../secret.yml")}, says=EDITED),
    "the policy is a link to itself": Attack({".winnow.yml": Link(".winnow.yml")}, says=EDITED),
    "the policy is a link to a device": Attack({".winnow.yml": Link("/dev/zero")}, says=EDITED),
    "the policy is a folder": Attack({".winnow.yml": None, ".winnow.yml/policy.yml": ALLOWING}, says=EDITED),
    "the policy is huge": policy(f"{ALLOWING}# {'x' * (20 << 20)}\n"),
    "the policy is deep YAML": policy("policy: " + "[" * 30_000),
    "the policy is made of aliases": policy(BILLION_LAUGHS),
    "the policy is no YAML": policy("index: [\x1b]2;x\n::error::"),
    "the policy asks for a Python object": policy("index: !!python/object/apply:os.system ['touch planted']\n"),
    "another ending": Attack({".winnow.yaml": ALLOWING, "src/.winnow.yml": ALLOWING}),
    "the copy is excluded": policy(CONFIGURATION.replace("generated/**", "src/**")),
    "only other paths are included": policy("index: [.winnow/index.db]\npaths: {include: [docs/**]}\n"),
    "other languages only": policy(f"{CONFIGURATION}languages: [cobol]\n"),
    "copies must be long": policy(f"{CONFIGURATION}report: {{min_tokens: 5000, min_tokens_renamed: 5000}}\n"),
    "other parameters": policy(f"{CONFIGURATION}k: 40\nw: 40\n"),
    "a boilerplate pattern is added": policy(CONFIGURATION.replace("templates", "src")),
    "a boilerplate file with the copy is added": Attack({"templates/routes.py": TEXT}),
    "a boilerplate file of the base gets the copy": Attack({"templates/service.py": TEXT}),
    "a boilerplate pattern and its file are added": Attack(
        {".winnow.yml": CONFIGURATION.replace("templates/**", "common.txt, common.py"), "common.py": TEXT},
        found=(COPY, "common.py"),
        says=EDITED,
    ),
    "ignored by a comment": disguised(f"# winnow-ci: ignore\n# noqa\n# nosemgrep\n{TEXT}", (16, 40)),
    "a licence that it has not": disguised(f"# SPDX-License-Identifier: MIT\n{TEXT}", (14, 38)),
    "a first policy allows everything": Attack({".winnow.yml": ALLOWING}, says=".winnow.yml is new", base=NO_POLICY),
}
SUPPRESSIONS = {
    "a baseline gets the copy": Attack(
        {".winnow/baseline.json": lambda indexes: indexes.baseline}, says=RECORDED, base=NOT_RECORDED
    ),
    "a baseline gets the copy, which comes with a scan of all": Attack(
        {".winnow/baseline.json": lambda indexes: indexes.baseline},
        says=RECORDED,
        base=NOT_RECORDED,
        arguments=("--range", "HEAD^..HEAD"),
    ),
    "a first baseline": Attack(
        {".winnow/baseline.json": lambda indexes: indexes.baseline},
        says="notice: .winnow/baseline.json is new: it suppresses nothing yet",
        base={".winnow.yml": RECORDING},
    ),
    "a baseline that the configuration does not name yet": Attack(
        {".winnow.yml": RECORDING, ".winnow/baseline.json": lambda indexes: indexes.baseline}, says=EDITED
    ),
    "a baseline that is a link": Attack(
        {".winnow/baseline.json": Link("../own.json"), "own.json": lambda indexes: indexes.baseline},
        says=RECORDED,
        base=NOT_RECORDED,
    ),
    "a baseline in a folder that is a link": Attack(
        {"accepted": Link("mine"), "mine/baseline.json": lambda indexes: indexes.baseline},
        says="notice: accepted/baseline.json is new: it suppresses nothing yet",
        base={".winnow.yml": RECORDING.replace(".winnow/baseline", "accepted/baseline")},
    ),
    "a first baseline that is a link to a secret": Attack(
        {".winnow/baseline.json": Link("../../secret.yml")}, says="is new", base={".winnow.yml": RECORDING}
    ),
    "a baseline that is a link to a device": Attack(
        {".winnow/baseline.json": Link("/dev/zero")}, says=RECORDED, base=NOT_RECORDED
    ),
    "a baseline that is deep JSON": Attack({".winnow/baseline.json": "[" * 30_000}, says=RECORDED, base=NOT_RECORDED),
    "a baseline that is gone": Attack({".winnow/baseline.json": None}, says=RECORDED, base=NOT_RECORDED),
    "other code of a source that the baseline has": Attack(
        {"src/b.py": f"{PLAN}\n{MERGE_CLOSURES.text}"},
        found=("src/b.py",),
        lines=(12, 25),
        base={".winnow.yml": RECORDING, ".winnow/baseline.json": lambda indexes: indexes.baseline, COPY: TEXT},
    ),
    "a comment allows its source": Attack({COPY: f"{PLAN}\n{COMMENT}{SHORTEST_ROUTE.text}"}, says=COMES_WITH_IT),
    "a comment allows its licence": Attack(
        {COPY: f"{PLAN}\n{COMMENT.replace('roads', 'GPL-*')}{SHORTEST_ROUTE.text}"}, says=COMES_WITH_IT
    ),
    "a comment and a policy that trusts it": Attack(
        {
            ".winnow.yml": f"{CONFIGURATION}suppressions: {{inline: always}}\n",
            COPY: f"{PLAN}\n{COMMENT}{SHORTEST_ROUTE.text}",
        },
        says=COMES_WITH_IT,
    ),
    "a comment and a first policy that trusts it": Attack(
        {
            ".winnow.yml": "index: [.winnow/index.db]\nsuppressions: {inline: always}\n",
            COPY: f"{PLAN}\n{COMMENT}{SHORTEST_ROUTE.text}",
        },
        says=COMES_WITH_IT,
        base=NO_POLICY,
    ),
    "below a comment that the base has": Attack(
        {COPY: f"{PLAN}\n{COMMENT}{SHORTEST_ROUTE.text}"},
        says="was there before the copy",
        base={COPY: f"{PLAN}\n{COMMENT}"},
    ),
    "a comment with its line moved from elsewhere": Attack(
        {"src/other.py": None, COPY: f"{COMMENT}{SHORTEST_ROUTE.text}"},
        lines=(2, 26),
        says=COMES_WITH_IT,
        base={"src/other.py": COMMENT},
    ),
    "a comment that holds commands": Attack(
        {COPY: f"{PLAN}\n# winnow-ci: allow ::error::\x1b[2J \x1b]0;x\x07 ##[add-mask]x\u202e\n{SHORTEST_ROUTE.text}"},
        says="\\x1b[2J",
    ),
    "thousands of comments": Attack(
        {COPY: f"{TEXT}\n" + "# winnow-ci: allow other code of ours\n" * 20_000}, says="more comments without a copy"
    ),
    "every source is its own": policy(f"{CONFIGURATION}own: ['*']\n"),
}
FIRST_POLICY = {
    "a first policy is deep YAML": refused({".winnow.yml": "policy: " + "[" * 30_000}, "nested deeper than"),
    "a first policy is made of aliases": refused({".winnow.yml": BILLION_LAUGHS}, "anchors and aliases"),
    "a first policy is no YAML": refused({".winnow.yml": "index: [\n\n"}, "not valid YAML"),
    "a first policy holds escapes": refused({".winnow.yml": '"\\e[2J\\n::error::": 1\n'}, "a control character"),
    "a first policy is huge": refused({".winnow.yml": "#" * (20 << 20)}, "larger than 64 KiB"),
    "a first policy is a folder": refused({".winnow.yml/a": "x"}, ".winnow.yml: "),
    "a first policy is a link to a secret": refused(
        {".winnow.yml": Link("../secret.yml")}, "is a symbolic link or lies behind one"
    ),
    "a first policy is a link to itself": refused({".winnow.yml": Link(".winnow.yml")}, "Too many levels"),
    "a first policy has no index": refused({".winnow.yml": "index: []\n"}, "no index of known code to compare with", 3),
    "a first policy names a URL": refused({".winnow.yml": "index: ['https://localhost/x.db']\n"}, "needs its sha256"),
    "a first policy names a URL and a hash": refused(
        {".winnow.yml": f"index: ['https://localhost/x.db#sha256={'f' * 64}']\n"},
        "so the URI in it is not followed",
        3,
    ),
    "a first policy names a server": refused(
        {".winnow.yml": f"index: ['postgresql://localhost:9/x#default@{'f' * 32}']\n"},
        "so the URI in it is not followed",
        3,
    ),
    "a first policy extends another one": refused(
        {".winnow.yml": f"extends: {{url: 'https://localhost/x.yml', sha256: '{'f' * 64}'}}\n"},
        "so the URI in it is not followed",
        3,
    ),
    "the policy of the base is a link, and its target edited": refused(
        {"ci/policy.yml": "index: [other.db]\n", "other.db": lambda indexes: indexes.other},
        ".winnow.yml is not a regular file in the base",
        base={".winnow.yml": Link("ci/policy.yml"), "ci/policy.yml": CONFIGURATION},
    ),
    "the policy of the change is asked for, and deep YAML": refused(
        {".winnow.yml": "policy: " + "[" * 30_000}, "nested deeper than", 2, {}, *HEAD
    ),
    "the policy of the change is asked for, and a link to itself": refused(
        {".winnow.yml": Link(".winnow.yml")}, ".winnow.yml: Too many levels", 2, {}, *HEAD
    ),
    "the policy of the change is asked for, and a link to a device": refused(
        {".winnow.yml": Link("/dev/zero")}, ".winnow.yml: not a regular file", 2, {}, *HEAD
    ),
}
INDEX = {
    "an index of other code": index(lambda indexes: indexes.other),
    "a truncated index": index(lambda indexes: indexes.known[:5000]),
    "an empty index": index(b""),
    "no index": Attack({".winnow/index.db": None}),
    "no folder for the index": Attack({".winnow/index.db": None, ".winnow": "a file\n"}),
    "an index that is a link": Attack(
        {".winnow/index.db": Link("../other.db"), "other.db": lambda indexes: indexes.other}, says=REPLACED
    ),
    "an index that is a link to a device": Attack({".winnow/index.db": Link("/dev/zero")}, says=REPLACED),
    "an index that is a folder": Attack({".winnow/index.db": None, ".winnow/index.db/x.db": "x"}, says=REPLACED),
    "a folder of indexes that is a link": Attack(
        {".winnow/index.db": None, ".winnow": Link("mine"), "mine/index.db": lambda indexes: indexes.other},
        says=REPLACED,
    ),
    "a folder of indexes that is a link to itself": Attack({".winnow/index.db": None, ".winnow": Link(".winnow")}),
    "a folder of indexes without one of them": Attack(
        {".winnow/index.db": None},
        base={".winnow.yml": "index: [.winnow]\n", ".winnow/other.db": lambda indexes: indexes.other},
    ),
    "an index beside its journals": Attack(
        {f".winnow/index.db-{end}": lambda indexes: indexes.other for end in ("wal", "shm", "journal")}
    ),
    "an index elsewhere": Attack(
        {
            ".winnow.yml": CONFIGURATION.replace(".winnow/", "moved/"),
            ".winnow/index.db": None,
            "moved/index.db": lambda indexes: indexes.other,
        },
        says=EDITED,
    ),
    "an index in the place of one that is fetched": refused(
        {"cache/index.db": lambda indexes: indexes.other},
        "cache/index.db is not in the base",
        3,
        {".winnow.yml": "index: [cache/index.db]\n"},
    ),
    "a link in the place of a folder into which an index is fetched": refused(
        {"cache": Link("mine"), "mine/index.db": lambda indexes: indexes.other},
        "cache/index.db is not in the base",
        3,
        {".winnow.yml": "index: [cache/index.db]\n"},
    ),
    "a first policy that makes room for an index": refused(
        {".winnow.yml": "{}\n", "cache/index.db": lambda indexes: indexes.other},
        "cache/index.db is not in the base",
        3,
        NO_POLICY,
        *("--index", "cache/index.db"),
    ),
}
ATTRIBUTES = {
    "binary": attributes("* binary"),
    "no diff": attributes("*.py -diff -text -merge"),
    "an encoding": attributes("*.py working-tree-encoding=UTF-16LE-BOM"),
    "a filter": attributes("*.py filter=lfs diff=lfs merge=lfs -text"),
    "said to be generated": attributes("*.py linguist-generated=true linguist-vendored export-ignore"),
    "line ends": attributes("*.py text eol=crlf ident"),
}
NAMES = {
    "a command": named("::error file=x::forged.py"),
    "a command in a folder": named("::stop-commands::x/::add-mask::a.py"),
    "a command of old": named("src/##[add-mask]a.py"),
    "a command of Azure": named("src/##vso[task.complete result=Succeeded]a.py"),
    "an escaped command": named("src/%0A::error::a.py"),
    "a line feed and a command": named(b"src/a\n::error::b.py"),
    "a carriage return and a command": named(b"src/a\r::set-output name=exit-code::0\rb.py"),
    "escape sequences": named(b"src/\x1b[2J\x1b]0;x\x07\x9b\x08.py"),
    "directions of text": named("src/\u202eyp.\u2066x\u2069.py"),
    "no width": named("src/pl\u200ban\u00ad\ufeff.py"),
    "ends of lines": named("src/a\u2028::error::b\u0085c.py"),
    "no UTF-8": named(b"src/a\xff\xfe.py"),
    "a colon": named(":b.py"),
    "magic": named(":(exclude)src/planning.py"),
    "a glob": named("src/*.py"),
    "an option": named("--exit-zero", SCRIPT, None),
    "an option with a value": named("--format=json:planted.py"),
    "Markdown and HTML": named("src/`|<script>](x)@octo.py"),
    "quotes and blanks": named(' "\\ \t .py'),
    "a long name": named(f"src/{'a' * 240}.py"),
    "a deep folder": named("/".join("d" * 400) + "/a.py"),
    "the name of a licence": named("LICENSE.py"),
    "a folder of licences": named("LICENSES/a.py"),
    "a script in the name of a licence": named("COPYING", SCRIPT, None),
    "code in the name of a licence": named("LICENSE"),
    "code below a licence": named("LICENSES/x.txt", f"{LICENCE}\n{TEXT}", None),
    "code in a notice in Markdown": named("docs/NOTICE.md", f"# Notice\n```\n{TEXT}```\n", None),
    "code in a page in the name of a licence": named("notice.html", f"<!doctype html><pre>\n{TEXT}</pre>", None),
    "code in a page that shows a licence": named("license.htm", f"<pre>{LICENCE}</pre><!--\n{TEXT}-->", None),
    "a dot file": named(".a.py"),
    "capitals": named("A.PY"),
    "no ending, but a shebang": named("bin/plan", SCRIPT, None),
    "an unknown ending, but a shebang": named("bin/plan.v2", SCRIPT, None),
}
FORMS = {
    "NUL bytes": disguised(TEXT.replace("\n", "\0\n")),
    "so many NUL bytes that it looks binary": unseen({COPY: TEXT.replace(" ", " \0\0")}, "binary content"),
    "UTF-16": disguised(TEXT.encode("utf-16")),
    "UTF-16 end mark is missing": disguised(TEXT.encode("utf-16-be")),
    "UTF-32": disguised(TEXT.encode("utf-32")),
    "UTF-16 after a page of Chinese": disguised(("#" + "\u6f22" * 3000 + f"\n{TEXT}").encode("utf-16-le"), (14, 38)),
    "bytes behind a mark of UTF-16": disguised(b"\xff\xfe\n" + TEXT.encode(), (14, 38)),
    "bytes behind a mark of UTF-32": disguised(b"\xff\xfe\0\0\n" + TEXT.encode(), (14, 38)),
    "bytes behind a page of UTF-16": disguised(("# words\n" * 700).encode("utf-16") + TEXT.encode(), (713, 737)),
    "UTF-16 behind bytes": disguised(b"# words\n" * 500 + TEXT.encode("utf-16-le"), (513, 537)),
    "UTF-16 in single letters, and ASCII": unseen(
        {COPY: "\u4eba".join(TEXT).encode("utf-16") + TEXT.upper().encode()}, "begins with a byte order mark of UTF-16"
    ),
    "a notebook in pieces": cells({"cells": [{"cell_type": "code", "source": [*TEXT]}]}),
    "a notebook of format 3": cells({"worksheets": [{"cells": [{"cell_type": "code", "input": TEXT}]}]}),
    "a notebook of the future": unseen({COPY: None, NOTEBOOK: json.dumps({"code": [TEXT]})}, "unknown format"),
    "no UTF-8": disguised(f"# \xe9\xff\n{TEXT}".encode("latin-1"), (14, 38)),
    "a byte order mark": disguised(b"\xef\xbb\xbf" + TEXT.encode()),
    "carriage returns": disguised(TEXT.replace("\n", "\r")),
    "carriage returns behind comments": disguised(TEXT.replace("\n    ", "\n#\r    ")),
    "CR LF": disguised(TEXT.replace("\n", "\r\n")),
    "an unclosed string before it": disguised(f"'''\n{TEXT}", (14, 38)),
    "one line": disguised(SHORTEST_ROUTE.text.replace("\n", " "), (1, 1)),
    "a very long line": disguised(f"a = [{'0, ' * 100_000}]; {SHORTEST_ROUTE.text}", (1, 25)),
    "below a million blank lines": disguised("\n" * 1_000_000 + SHORTEST_ROUTE.text, (1_000_001, 1_000_025)),
    "no width inside names": disguised(TEXT.replace("neighbour", "neigh\u200bbour").replace("goal", "go\u00adal")),
    "Cyrillic letters": disguised(TEXT.replace("place", "pl\u0430ce").replace("distance", "dist\u0430nce"), None),
    "deeply nested": disguised("(" * 100_000 + f"\n{SHORTEST_ROUTE.text}", (2, 26)),
    "in a class": disguised(f"class A:\n{_indented(SHORTEST_ROUTE.text)}", (2, 26)),
    "code that holds commands": disguised(
        TEXT.replace("    came_from", "    ##[add-mask]came_from\n    came_from", 1)
        .replace('"""Dijkstra', '"""\n::error::Dijkstra')
        .replace("heap of", "heap of \x1b[2J\x9b\u202e"),
        None,
    ),
    "padded beyond the limit": unseen({COPY: TEXT.encode() + bytes(70 << 20)}, "larger than 64 MiB"),
    "a pointer of LFS": unseen({COPY: "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"}, "LFS"),
    "an old pointer of LFS": unseen({COPY: "version https://hawser.github.com/spec/v1\noid sha256:0\nsize 9\n"}, "LFS"),
    "a pointer of LFS that begins late": unseen(
        {COPY: f"\n ext-0-x sha256:{'0' * 64}\nversion https://git-lfs.github.com/spec/v1\nsize 9\n"}, "LFS"
    ),
    "beside what a lexer never ends with": Attack(
        {"src/slow.chpl": EXPONENTIAL}, says="1 file read by the fallback tokenizer: src/slow.chpl (not lexed within 2"
    ),
    "only in what a lexer never ends with": slow(MERGE_CLOSURES.text.encode() + b"\n" + EXPONENTIAL, (1, 14)),
    "above what a lexer takes very long for": slow(MERGE_CLOSURES.text.encode() + b"\n" + QUADRATIC, (1, 14)),
}
CHANGES = {
    "below lines that were there": Attack({COPY: None, "src/plan.py": TEXT}, found=("src/plan.py",)),
    "a rename with the copy added": Attack(
        {COPY: None, "src/greetings.py": None, "src/hello.py": f"{INNOCENT}\n\n{SHORTEST_ROUTE.text}"},
        found=("src/hello.py",),
        lines=None,
    ),
    "a rename of what had lost the copy": Attack(
        {COPY: None, "attic/routes.py": None, "src/routes.py": TEXT},
        found=("src/routes.py",),
        base={"attic/routes.py": f"{PLAN}\n\n# gone\n"},
    ),
    "moved out of what is excluded": moved("generated/routes.py"),
    "moved from a name of data": moved("src/routes.json"),
    "moved from a name of a licence": moved("src/COPYING"),
    "moved from a name without a language": moved("src/routes.unheard-of"),
    "a link that becomes a file": Attack(
        {"src/plan.py": TEXT}, found=(COPY, "src/plan.py"), base={"src/plan.py": Link(COPY)}
    ),
    "a submodule that becomes a file": Attack({}, base={COPY: Submodule("1" * 40)}),
    "a file that becomes a folder": Attack(
        {"src/plan.py": None, "src/plan.py/a.py": TEXT}, found=(COPY, "src/plan.py/a.py")
    ),
    "beside a link to a secret": Attack({"src/secret.py": Link("../../secret.yml")}, says="1 symbolic link"),
    "beside a link to the environment": Attack({"src/environ.py": Link("/proc/self/environ")}, says="1 symbolic link"),
    "beside a submodule": Attack(
        {
            ".gitmodules": '[submodule "lib"]\n\tpath = lib\n\turl = ext::sh -c touch%20planted\n',
            "lib": Submodule("1" * 40),
        },
        says="1 submodule",
    ),
    "beside two thousand other files": Attack({f"docs/{number}.txt": f"{number}\n" for number in range(2000)}),
    "beside a mailmap": Attack({".mailmap": "Ada <ada@example.org> <mallory@example.org>\n"}),
    "behind a replacement of its object": Attack({}, before=_replaced_object),
    "beside modules that Python could import": Attack(
        {
            f"{name}.py": IMPORTED
            for name in ("git", "yaml", "json", "numpy", "pygments", "sitecustomize", "usercustomize")
        }
    ),
}
ATTACKS = {
    f"{kind}: {name}": attack
    for kind, attacks in (
        ("policy", POLICY | FIRST_POLICY),
        ("suppression", SUPPRESSIONS),
        ("index", INDEX),
        ("attributes", ATTRIBUTES),
        ("name", NAMES),
        ("form", FORMS),
        ("change", CHANGES),
    )
    for name, attack in attacks.items()
}


@pytest.fixture(scope="session")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Indexes:
    folder = tmp_path_factory.mktemp("indexes")
    known = write_known(folder / "known")
    # In a language that Pygments reads.
    (known / "closures.boo").write_text(MERGE_CLOSURES.text)
    build(known, folder / "known.db", "--license", "GPL-3.0-only")
    (folder / "other").mkdir()
    (folder / "other" / "logs.py").write_text(LOGS)
    build(folder / "other", folder / "other.db", name="logs")
    known, other = ((folder / name).read_bytes() for name in ("known.db", "other.db"))
    return Indexes(known, other, _baseline(folder / "recorded", known))


def _baseline(folder: Path, known: bytes) -> bytes:
    """The baseline that somebody would write who accepts the copy."""
    checkout = Checkout.create(folder)
    checkout.commit({".winnow.yml": RECORDING, ".winnow/index.db": known, COPY: TEXT})
    ended = winnow("scan", "--all", "--update-baseline", cwd=checkout.root)
    assert ended.status == 0, ended
    return (checkout.root / ".winnow" / "baseline.json").read_bytes()


def attacked(folder: Path, indexes: Indexes, attack: Attack) -> tuple[Checkout, Scanned]:
    """Make the repository, check its merge commit out beside a secret, and scan it."""
    (folder / "secret.yml").write_text(f"{SECRET}: {SECRET}\n")
    change = {COPY: TEXT, **attack.change}
    forge = pull_request(folder, {**BASE, **attack.base}, change, indexes)
    clone = forge.check_out(folder / "clone", forge.merge, 2)
    attack.before(clone)
    scanned = scan(clone, forge, folder, *attack.arguments)
    assert SECRET not in scanned.ended.output + scanned.ended.errors + scanned.summary
    assert "imported" not in scanned.ended.output + scanned.ended.errors
    assert not [path for path in (folder, clone.root) if (path / "planted").exists() or (path / "planted.py").exists()]
    assert_harmless(scanned)
    return clone, scanned


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_fails(tmp_path: Path, indexes: Indexes, name: str) -> None:
    attack = ATTACKS[name]
    _, scanned = attacked(tmp_path, indexes, attack)
    ended = scanned.ended
    assert ended.status == attack.status, ended
    found = scanned.found()
    assert sorted(found) == sorted(attack.found)
    if attack.lines:
        assert found == {path: [attack.lines] for path in attack.found}
    assert attack.says in ended.errors
    if scanned.report is None:
        ended.complaint(attack.status)
    else:
        assert scanned.report["scan"]["complete"] is ("not scanned" not in ended.errors)


def passed(change: Tree, says: str, base: Tree = MappingProxyType({})) -> Attack:
    """Nothing is found, and what was not looked at is said."""
    return Attack({COPY: None, **change}, 0, (), None, says, base)


# What a team leaves out of its scans, and what is no code by its name, is left out whoever adds to it. A name also says
# how a file is read. What was in scope before is not new because it moves; what was not, is (``moved``).
BY_DESIGN = {
    "the base has accepted it": Attack(
        {},
        0,
        says="1 file scanned",
        base={".winnow.yml": RECORDING, ".winnow/baseline.json": lambda indexes: indexes.baseline},
    ),
    "the base lets a change allow its own copies": Attack(
        {COPY: COMMENT + SHORTEST_ROUTE.text},
        0,
        says="notice: the change allows its own copy on line 1: src/planning.py:2-26 is copied from roads",
        base={".winnow.yml": f"{CONFIGURATION}suppressions: {{inline: always}}\n"},
    ),
    "the base excludes the path": passed({"generated/a.py": TEXT}, "1 excluded by generated/**"),
    "the base calls the path boilerplate": passed({"templates/a.py": TEXT}, "1 boilerplate by templates/**"),
    "the base wants other languages": passed(
        {"a.py": TEXT},
        "1 language python is not among",
        {".winnow.yml": f"{CONFIGURATION}languages: [c]\n"},
    ),
    "the base has it as boilerplate": passed({"a.py": TEXT}, "1 file scanned, 0 skipped", {"templates/a.py": TEXT}),
    "the base has it, and it moves": passed(
        {"src/a.py": None, "src/b.py": TEXT}, "1 file scanned, 0 skipped", {"src/a.py": TEXT}
    ),
    "the base has it, and a part of it moves": passed(
        {"src/b.py": f"{INNOCENT}\n\n{TEXT}"}, "not counted: 1 copy that", {"src/a.py": TEXT + INNOCENT}
    ),
    "another language by its name": passed({"a.rb": TEXT}, "1 file scanned, 0 skipped"),
    "data by its name": passed({"a.json": TEXT}, "1 data"),
    "an image by its name": passed({"a.png": SCRIPT}, "1 unknown language"),
    "binary data by its name": passed({"a.nc": TEXT.replace(" ", "\0 ")}, "1 binary data"),
    "the target of a link": passed({"a.py": Link(SHORTEST_ROUTE.text[:200])}, "1 symbolic link"),
    "another repository": passed({"lib": Submodule("1" * 40)}, "1 submodule"),
}


@pytest.mark.parametrize("name", BY_DESIGN)
def test_what_passes_by_design_is_said(tmp_path: Path, indexes: Indexes, name: str) -> None:
    attack = BY_DESIGN[name]
    _, scanned = attacked(tmp_path, indexes, attack)
    assert scanned.ended.status == 0
    assert attack.says in scanned.ended.errors
    assert attack.says in scanned.summary
    assert scanned.report
    assert {skipped["state"] for skipped in scanned.report["scan"]["files_skipped"]} <= {"out-of-scope"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--since=--output=planted",),
        ("--since=-O/planted",),
        ("--since=--upload-pack=touch planted",),
        ("--range=--output=planted",),
        ("--range=HEAD^..--output=planted",),
        ("--range=--output=planted...HEAD",),
        ("--", "--output=planted"),
        ("--", ":(exclude)src"),
        ("--", "../secret.yml"),
        ("--output=planted",),
        ("--index=--output=planted",),
        ("--config=--output=planted",),
    ],
    ids=" ".join,
)
def test_no_revision_and_no_path_is_an_option(tmp_path: Path, indexes: Indexes, arguments: tuple[str, ...]) -> None:
    clone, scanned = attacked(tmp_path, indexes, Attack({}, arguments=arguments))
    assert scanned.ended.complaint(scanned.ended.status)
    assert scanned.ended.status in {2, 3}
    assert not (clone.root / "--output=planted").exists()


def test_no_module_of_a_checkout_is_imported(tmp_path: Path, indexes: Indexes) -> None:
    """Not even one of our own name, as the action starts the command. ``python -m`` alone would import that one."""
    change = {f"{name}.py": IMPORTED for name in ("winnow_ci", "git", "yaml", "json", "sitecustomize", "encodings")}
    clone, _ = attacked(
        tmp_path, indexes, Attack({name: text for name, text in change.items() if "winnow" not in name})
    )
    clone.commit(dict(change))
    done = subprocess.run(
        [sys.executable, "-I", "-m", "winnow_ci", "scan", "--range", "HEAD^^..HEAD"],
        cwd=clone.root,
        env=environment(PYTHONPATH=str(clone.root)),
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 1, done
    assert b"imported" not in done.stdout + done.stderr
