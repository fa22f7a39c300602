"""Ways in which the author of a change may try to choose the rules that judge it, in each service."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from commands import git, judged, winnow
from histories import NOTHING, Commit, Link, Submodule, edit, written
from known_code import CONFIGURATION, INNOCENT, SAMPLES, known_index, other_index
from services import SERVICES, Forge
from trials import Part

if TYPE_CHECKING:
    from random import Random

    from histories import Content, Tree
    from trials import Attempt, Outcome

COPY = SAMPLES["python"].text
PATH = SAMPLES["python"].path
ALLOWING = "index: [.winnow/index.db]\npolicy: {default: allow}\n"
MINE = "index: [mine.db]\n"
BASELINE = "baseline: .winnow/baseline.json\n"
NOTHING_ACCEPTED = '{"version": 1, "entries": []}\n'
INLINE = "suppressions: {inline: always}\n"
ALLOW = f"# winnow-ci: allow known as we agreed\n{COPY}"
BOILERPLATE = "boilerplate: [templates/**]\n"


class Files(NamedTuple):
    """Files that attacks use: index files, and the baseline that has accepted the copy."""

    known: bytes
    other: bytes
    accepted: bytes


class Attack(NamedTuple):
    """A pull request that brings a copy and, with it or before it, rules of its own.

    Attributes:
        change: what it brings besides the copy.
        began: what the repository had besides when the branch left main; by default the rules are there.
        tip: what main has done to the rules since.
        reference: a name that the author has given to the change's commit, where the server and clones have it; TIP is
            the id of main.
    """

    change: Tree
    began: Tree = NOTHING
    tip: Tree = NOTHING
    reference: str = ""


def attacks(files: Files) -> dict[str, Attack]:
    """All attacks by name."""
    return {
        **{f"configuration: {name}": Attack({".winnow.yml": content}) for name, content in _configurations().items()},
        **{f"baseline: {name}": attack for name, attack in _baselines(files).items()},
        **{f"boilerplate and comments: {name}": attack for name, attack in _suppressions().items()},
        **{f"index: {name}": attack for name, attack in _indexes(files).items()},
        **{f"names: {name}": Attack(change) for name, change in _names(files).items()},
        **{f"fork point: {name}": attack for name, attack in _fork_points(files).items()},
        **{f"git: {name}": Attack(change) for name, change in _of_git().items()},
        **{f"references: {name}": Attack({}, reference=name) for name in REFERENCES},
    }


def _configurations() -> dict[str, Content]:
    return {
        "allows everything": ALLOWING,
        "allows the licence": f"{CONFIGURATION}policy: {{allow: ['GPL-*']}}\n",
        "only warns": f"{CONFIGURATION}policy: {{default: warning}}\n",
        "is deleted": None,
        "is empty": "",
        "is a link to one of the change": Link("lax.yml"),
        "is a link to itself": Link(".winnow.yml"),
        "is a link to a device": Link("/dev/zero"),
        "is a submodule": Submodule(),
        "excludes the path": f"{CONFIGURATION}paths: {{exclude: ['src/**']}}\n",
        "includes only other paths": f"{CONFIGURATION}paths: {{include: ['docs/**']}}\n",
        "wants another language": f"{CONFIGURATION}languages: [cobol]\n",
        "wants long copies": f"{CONFIGURATION}report: {{min_tokens: 5000, min_tokens_renamed: 5000}}\n",
        "leaves weak findings out": f"{CONFIGURATION}report: {{weak: 'off', min_tokens: 9999}}\n",
        "calls the source its own": f"{CONFIGURATION}own: ['*']\n",
        "has other parameters": f"{CONFIGURATION}k: 40\nw: 40\n",
        "is huge": f"{ALLOWING}# {'x' * (2 << 20)}\n",
        "is deep YAML": "policy: " + "[" * 30_000,
        "is made of aliases": "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n",
        "has marks of a conflict": f"<<<<<<< ours\n{CONFIGURATION}=======\n{ALLOWING}>>>>>>> theirs\n",
        "asks for a Python object": "index: !!python/object/apply:os.system ['touch planted']\n",
    }


def _baselines(files: Files) -> dict[str, Attack]:
    with_one: Tree = {".winnow.yml": CONFIGURATION + BASELINE, ".winnow/baseline.json": NOTHING_ACCEPTED}
    named: Tree = {".winnow.yml": CONFIGURATION + BASELINE}
    return {
        "gets the copy": Attack({".winnow/baseline.json": files.accepted}, with_one),
        "is the first": Attack({".winnow/baseline.json": files.accepted}, named),
        "comes with its configuration": Attack(
            {".winnow.yml": CONFIGURATION + BASELINE, ".winnow/baseline.json": files.accepted}
        ),
        "is a link": Attack({".winnow/baseline.json": Link("../own.json"), "own.json": files.accepted}, with_one),
        "lies in a folder that is a link": Attack(
            {"accepted": Link("mine"), "mine/baseline.json": files.accepted},
            {".winnow.yml": CONFIGURATION + BASELINE.replace(".winnow/", "accepted/")},
        ),
        "in capitals": Attack({".winnow/BASELINE.JSON": files.accepted}, with_one),
        "the first, in capitals": Attack({".winnow/BASELINE.JSON": files.accepted}, named),
    }


def _suppressions() -> dict[str, Attack]:
    template: Tree = {".winnow.yml": CONFIGURATION + BOILERPLATE, "templates/a.py": "print('a template')\n"}
    return {
        "the copy becomes a template": Attack({"templates/b.py": COPY}, template),
        "a template gets the copy": Attack({"templates/a.py": COPY}, template),
        "pattern and template are added": Attack({".winnow.yml": CONFIGURATION + BOILERPLATE, "templates/a.py": COPY}),
        "a comment allows it": Attack({PATH: ALLOW}),
        "a comment and a configuration that trusts it": Attack({PATH: ALLOW, ".winnow.yml": CONFIGURATION + INLINE}),
        "below a comment that is there": Attack({PATH: ALLOW}, {PATH: ALLOW.partition("\n")[0] + "\n"}),
        "the words of other tools": Attack({PATH: f"# noqa\n# nosemgrep\n# winnow-ci: ignore\n# NOSONAR\n{COPY}"}),
        "marks of generated and licensed code": Attack(
            {PATH: f"# @generated DO NOT EDIT\n# SPDX-License-Identifier: MIT\n{COPY}"}
        ),
    }


def _indexes(files: Files) -> dict[str, Attack]:
    fetched: Tree = {".winnow.yml": "index: [cache/index.db]\n", ".winnow/index.db": None}
    return {
        "of other code": Attack({".winnow/index.db": files.other}),
        "is cut": Attack({".winnow/index.db": files.known[:5000]}),
        "is empty": Attack({".winnow/index.db": b""}),
        "is deleted": Attack({".winnow/index.db": None}),
        "is a link": Attack({".winnow/index.db": Link("../other.db"), "other.db": files.other}),
        "is a folder": Attack({".winnow/index.db": None, ".winnow/index.db/x.db": files.other}),
        "lies in a folder that is a link": Attack(
            {".winnow/index.db": None, ".winnow": Link("mine"), "mine/index.db": files.other}
        ),
        "lies in a submodule": Attack({".winnow/index.db": None, ".winnow": Submodule()}),
        "has journals beside it": Attack({f".winnow/index.db-{end}": files.other for end in ("wal", "shm", "journal")}),
        "elsewhere": Attack({".winnow.yml": MINE, "mine.db": files.other}),
        "in the place of one that is fetched": Attack({"cache/index.db": files.other}, fetched),
        "in the place of one that is fetched, in capitals": Attack({"CACHE/INDEX.DB": files.other}, fetched),
        "one more in the folder of indexes": Attack(
            {".winnow/index.db": None, ".winnow/z.db": files.other}, {".winnow.yml": "index: [.winnow]\n"}
        ),
        "a manifest and a lock without sources": Attack(
            {".winnow/sources.yml": "sources: []\n", ".winnow/sources.lock": "version: 1\nsources: []\n"}
        ),
    }


def _names(files: Files) -> dict[str, Tree]:
    return {
        "capitals": {".WINNOW.YML": ALLOWING},
        "one capital, beside its deletion": {".winnow.yml": None, ".Winnow.yml": ALLOWING},
        "the index in capitals": {".WINNOW/INDEX.DB": files.other},
        "a letter without width": {".winn\u200bow.yml": ALLOWING},
        "a letter of full width": {".winno\uff57.yml": ALLOWING},
        "a blank at the end": {".winnow.yml ": ALLOWING},
        "another ending": {".winnow.yaml": ALLOWING},
        "in the folder of the copy": {"src/.winnow.yml": ALLOWING},
        "in the folder of winnow": {".winnow/.winnow.yml": ALLOWING, ".winnow/winnow.yml": ALLOWING},
    }


def _fork_points(files: Files) -> dict[str, Attack]:
    none: Tree = {".winnow.yml": None, ".winnow/index.db": None}
    there: Tree = {".winnow.yml": CONFIGURATION, ".winnow/index.db": files.known}
    recorded: Tree = {".winnow.yml": CONFIGURATION + BASELINE, ".winnow/baseline.json": files.accepted}
    template: Tree = {".winnow.yml": CONFIGURATION + BOILERPLATE, "templates/a.py": COPY}
    return {
        "before the policy was tightened": Attack({}, {".winnow.yml": ALLOWING}, there),
        "before a path was scanned": Attack({}, {".winnow.yml": f"{CONFIGURATION}paths: {{exclude: [src]}}\n"}, there),
        "before there was a policy": Attack({}, none, there),
        "before there was a policy, with one of its own": Attack({".winnow.yml": ALLOWING}, none, there),
        "before there was an index, with one of its own": Attack(
            {".winnow.yml": MINE, "mine.db": files.other}, none, there
        ),
        "before the index knew the source": Attack({}, {".winnow/index.db": files.other}, there),
        "while the baseline had the copy": Attack({}, recorded, {".winnow/baseline.json": NOTHING_ACCEPTED}),
        "while the copy was a template": Attack({}, template, {**there, "templates/a.py": None}),
        "while comments were trusted": Attack({PATH: ALLOW}, {".winnow.yml": CONFIGURATION + INLINE}, there),
    }


def _of_git() -> dict[str, Tree]:
    python = ("winnow_ci", "git", "yaml", "json", "numpy", "sitecustomize", "encodings")
    return {
        "attributes: binary": {".gitattributes": "* binary\n", "src/.gitattributes": "* binary\n"},
        "attributes: no diff": {".gitattributes": "*.py -diff -text -merge filter=lfs\n"},
        "attributes: generated": {".gitattributes": "*.py linguist-generated linguist-vendored export-ignore\n"},
        "attributes: an encoding": {".gitattributes": "*.py working-tree-encoding=UTF-16LE-BOM\n"},
        "ignored paths": {".gitignore": "*\n", ".ignore": "*\n", ".winnowignore": "*\n"},
        "modules": {".gitmodules": '[submodule "src"]\n\tpath = src\n\turl = ../src\n\tignore = all\n'},
        "a mailmap": {".mailmap": "Ada <ada@example.org> <mallory@example.org>\n"},
        "modules that Python could import": {f"{name}.py": "raise SystemExit(0)\n" for name in python},
        "settings of other tools": {
            "setup.cfg": "[winnow-ci]\nexit-zero = true\n",
            "pyproject.toml": "[tool.winnow-ci]\npolicy = {default = 'allow'}\n",
            ".env": "WINNOW_CI_POLICY=head\nGITHUB_EVENT_NAME=schedule\n",
        },
    }


# Who may push can give these to any commit; git prefers some to the branch of that name.
REFERENCES = (
    "refs/tags/main",
    "refs/tags/origin/main",
    "refs/tags/origin/HEAD",
    "refs/tags/HEAD",
    "refs/tags/heads/main",
    "refs/tags/refs/heads/main",
    "refs/tags/refs/remotes/origin/main",
    "refs/tags/TIP",
    "refs/heads/HEAD",
    "refs/heads/origin/main",
    "refs/heads/refs/heads/main",
    "refs/heads/TIP",
    "refs/replace/TIP",
)


# Without them, a service that refuses everything would seem to hold everything.
CONTROLS = {"no attack: the copy alone": 1, "no attack: an innocent change": 0}
ROWS = [(name, service) for name in (*CONTROLS, *attacks(Files(b"", b"", b""))) for service in SERVICES]


def _prepared(work: Path) -> Attempt:
    known = known_index(work)
    files = Files(known, other_index(work), _accepted(work, known))
    rows = attacks(files)
    return partial(_attempt, rows, files)


def _accepted(work: Path, known: bytes) -> bytes:
    """The baseline that somebody would write who accepts the copy."""
    tree: dict[str | bytes, Any] = {".winnow.yml": CONFIGURATION + BASELINE, ".winnow/index.db": known, PATH: COPY}
    root = written(work / "accepting", [Commit("refs/heads/main", tree)])
    git(root, "checkout", "--quiet", "--force", "main")
    done = winnow("scan", "--all", "--update-baseline", "--including-denied", cwd=root)
    if done.status == 2:
        done = winnow("scan", "--all", "--update-baseline", cwd=root)
    accepted = (root / ".winnow" / "baseline.json").read_bytes()
    assert json.loads(accepted)["entries"], done
    return accepted


def _attempt(rows: dict[str, Attack], files: Files, number: int, _: Random) -> Outcome:
    name, service = ROWS[number]
    attack, folder = rows.get(name, Attack({})), Path.cwd()
    began: Tree = {".winnow.yml": CONFIGURATION, ".winnow/index.db": files.known, **INNOCENT, **attack.began}
    began = {path: content for path, content in began.items() if content is not None}
    copy: Tree = {"docs/hello.py": "print('hello')\n"} if CONTROLS.get(name) == 0 else {PATH: COPY, "lax.yml": ALLOWING}
    change: Tree = {**copy, **attack.change}
    administrator = folder / "administrator" / ".winnow"
    administrator.mkdir(parents=True)
    (administrator / "index.db").write_bytes(files.known)
    (administrator.parent / ".winnow.yml").write_text(CONFIGURATION)
    forge = Forge.created(folder, began, attack.tip, change, attack.reference)
    ended = SERVICES[service](forge, folder)
    kept = b"".join(edit(path, content)[:2000] for path, content in change.items())
    is_held = ended.status == CONTROLS[name] if name in CONTROLS else ended.status != 0
    return judged(f"{name}; {service}", ended, is_held=is_held, files={"change.txt": kept})


PART = Part("rules", "the author chooses the rules, in each service", len(ROWS), len(ROWS), _prepared, is_table=True)
