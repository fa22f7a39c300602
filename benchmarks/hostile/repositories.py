"""Repositories that git would not make, or that were damaged: objects, names, refs, settings, huge trees."""

from __future__ import annotations

import hashlib
import struct
import zlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from commands import Ended, git, judged, winnow
from histories import Commit, Link, Submodule, written
from known_code import INNOCENT, SAMPLES, known_index
from mutations import AWKWARD
from trials import Outcome, Part, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from trials import Attempt

COPY = SAMPLES["python"].text
NAMES = (
    *(
        b"a\nb.py",
        b"a\tb.py",
        b'"q".py',
        b"\xff\xfe.py",
        b":(exclude)*",
        b"--exit-zero",
        b"-.py",
        b"*.py",
        b" .py",
        b"a\\b.py",
    ),
    *(
        "\u202eyp.py".encode(),
        b"::error::x.py",
        b"HEAD",
        b".gitattributes",
        b"x" * 255,
        b"d/" * 300 + b"a.py",
        b"con.py",
    ),
)
TREE_NAMES = (b"..", b".", b".git", b"a/b.py", b"", b"roads.py", b".GIT", b"git~1", b"a\nb", b"\xff", b"roads.py/")
MODES = (b"100644", b"100755", b"120000", b"160000", b"40000", b"0", b"777777", b"100666", b"-1", b"1" * 40)
SETTINGS = (
    *(
        "core.fsmonitor",
        "core.hooksPath",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "diff.external",
    ),
    *(
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "diff.x.textconv",
        "diff.x.command",
        "credential.helper",
    ),
    *("uploadpack.packObjectsHook", "alias.cat-file", "alias.diff-tree", "gpg.program", "core.gitProxy"),
)
VALUES = (
    *("core.bare true", "core.worktree /", "core.worktree ../..", "extensions.objectFormat sha256", "core.abbrev 4"),
    *(
        "core.repositoryFormatVersion 99",
        "extensions.partialClone origin",
        "diff.renames copies",
        "core.bigFileThreshold 1",
    ),
    *("core.quotePath true", "diff.noprefix true", "core.ignoreCase true", "core.precomposeUnicode true"),
)
ATTRIBUTES = "* filter=x diff=x merge=x -text ident working-tree-encoding=UTF-16\n"
SOUND, SWAPPED = "nothing damaged", "an object in the place of another"
BELIEVED = "git believes a loose object whose name is not its hash"
# Trees of ten times the same tree, so many levels deep: up to 10^10 paths in a few objects. Between them lies what is
# neither refused nor quick: each of 10^4 files with a copy takes its time (docs/security.md).
LEVELS, TIMES = (1, 2, 8, 9, 10), 10


def _prepared(work: Path) -> Attempt:
    index = work / "scanned.db"
    index.write_bytes(known_index(work))
    return partial(_attempt, index)


def _attempt(index: Path, number: int, chance: Random) -> Outcome:
    kind = list(KINDS)[number % len(KINDS)]
    root = Path("repository").resolve()
    change = {"roads.py": COPY, **dict.fromkeys(chance.sample(NAMES, 3), COPY)}
    change |= {"lib": Submodule(), "link.py": Link("/etc/passwd"), ".gitattributes": ATTRIBUTES}
    # Two files cannot have a path and a part of it.
    change.pop(b".gitattributes", None)
    commits = [Commit("refs/heads/main", dict(INNOCENT)), Commit("refs/heads/topic", change, ("refs/heads/main",))]
    written(root, commits)
    base, head = git(root, "rev-parse", "main", "topic").split()
    git(root, "update-ref", "--no-deref", "HEAD", head)
    git(root, "update-ref", "refs/remotes/origin/main", base)
    if kind in FALSE_HISTORIES:
        # What is compared with the base's and the branch's last common commit is the work tree.
        git(root, "checkout", "--quiet", head, "--", "roads.py")
    head = KINDS[kind](root, head, chance) or head
    commands = {
        "scan --range": ("scan", "--range", f"{base}..{head}", "--index", index),
        "scan --since": ("scan", "--since", base, "--index", index),
        "hook --pre-push": ("hook", "--pre-push", "--index", index, "origin", "url"),
        "scan --all": ("scan", "--all", "--index", index),
        "scan --staged": ("scan", "--staged", "--index", index),
        "index build": ("index", "build", root, "--revision", head, "--output", "../out.db", "--name", "x"),
    }
    usual = LATEST if kind in FALSE_HISTORIES else ("scan --range",)
    name = chance.choice(list(commands) if number % 2 else usual)
    pushed = f"refs/heads/topic {head} refs/heads/topic {'0' * 40}\n"
    ended = winnow(*commands[name], cwd=root, stdin=pushed.encode())
    return _judged(f"{kind}; {name}", name, ended, root)


def _judged(what: str, name: str, ended: Ended, root: Path) -> Outcome:
    if (root / "planted").exists() or (root.parent / "planted").exists():
        return Outcome(Verdict.MISSED, what, f"something was run: {ended.told()}")
    # Only a comparison of two commits says what should be found, if HEAD and the git index may have changed.
    is_sure = name == "scan --range" or (name in LATEST and what.startswith(tuple(FALSE_HISTORIES)))
    wanted = {1} if what.startswith(SOUND) else {1, 3}
    is_held = ended.status in (wanted if is_sure else {0, 1, 2, 3})
    return judged(what, ended, is_held=is_held, limit=BELIEVED if what.startswith(SWAPPED) else "")


def _loose(root: Path) -> list[Path]:
    return sorted(path for path in (root / ".git" / "objects").glob("??/*") if path.is_file())


def _rewrite(path: Path, content: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(content)


def _flipped(root: Path, _: str, chance: Random) -> None:
    path = chance.choice(_loose(root))
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
    _rewrite(path, bytes(data))


def _cut(root: Path, _: str, chance: Random) -> None:
    path = chance.choice(_loose(root))
    data = path.read_bytes()
    _rewrite(path, data[: chance.randrange(len(data))])


def _gone(root: Path, _: str, chance: Random) -> None:
    chance.choice(_loose(root)).unlink()


def _of_another(root: Path, _: str, chance: Random) -> None:
    one, other = chance.sample(_loose(root), 2)
    _rewrite(one, other.read_bytes())


def _lying(root: Path, _: str, chance: Random) -> None:
    """An object whose header says another type or length than it has."""
    head = chance.choice(
        (b"blob 99999999999\0", b"blob -1\0", b"tree 5\0", b"commit 3\0", b"x 1\0", b"blob 1", b"tag 0\0")
    )
    _rewrite(chance.choice(_loose(root)), zlib.compress(head + chance.choice(AWKWARD) * 9))


def _packed(root: Path, _: str, chance: Random) -> None:
    git(root, "repack", "-a", "-d", "--quiet")
    path = chance.choice(sorted((root / ".git" / "objects" / "pack").iterdir()))
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 1, 4, 64))):
        data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
    _rewrite(path, bytes(data))


def _literal(root: Path, kind: str, content: bytes) -> str:
    return git(root, "hash-object", "-t", kind, "-w", "--literally", "--stdin", stdin=content)


def _row(mode: bytes, name: bytes, object_id: str) -> bytes:
    return b"%b %b\0%b" % (mode, name, bytes.fromhex(object_id))


def _commit_of(root: Path, tree: str, parent: str) -> str:
    body = f"tree {tree}\nparent {parent}\nauthor A <a@b> 0 +0000\ncommitter A <a@b> 0 +0000\n\nx\n"
    return _literal(root, "commit", body.encode())


def _odd_tree(root: Path, head: str, chance: Random) -> str:
    blob = git(root, "rev-parse", f"{head}:roads.py")
    tree = git(root, "rev-parse", f"{head}^{{tree}}")
    ids = (blob, tree, head, "1" * 40)
    rows = [
        _row(chance.choice(MODES), chance.choice(TREE_NAMES), chance.choice(ids)) for _ in range(chance.randint(1, 6))
    ]
    rows.append(_row(b"100644", b"zz_roads.py", blob))
    return _commit_of(root, _literal(root, "tree", b"".join(rows)), head)


def _damaged_tree(root: Path, head: str, chance: Random) -> str:
    tree = bytes.fromhex(git(root, "rev-parse", f"{head}^{{tree}}"))
    content = chance.choice((b"100644 a\0" + tree[:7], b"100644", chance.randbytes(40), b"\0" * 60, b"40000 \0" + tree))
    return _commit_of(root, _literal(root, "tree", content), head)


def _odd_commit(root: Path, head: str, chance: Random) -> str:
    tree = git(root, "rev-parse", f"{head}^{{tree}}")
    who = "author A <a@b> 99999999999999999999 +9999\n"
    bodies = (
        f"tree {tree}\n",
        f"tree {'1' * 40}\nparent {head}\n{who}\n",
        f"tree {head}\n{who}\n",
        f"tree {tree}\n{f'parent {head}' * 1}\n" + f"parent {head}\n" * 500 + who,
        f"tree {tree}\nparent {'2' * 40}\n{who}\n",
        f"tree {tree}\n{who}encoding \x1b[2J\n\n" + "x" * 100_000,
        "",
        "tree\n",
    )
    return _literal(root, "commit", chance.choice(bodies).encode())


def _tag(root: Path, head: str, chance: Random) -> str:
    inner = chance.choice((head, "3" * 40, git(root, "rev-parse", f"{head}:roads.py")))
    kind = chance.choice(("commit", "tag", "blob", "x"))
    return _literal(root, "tag", f"object {inner}\ntype {kind}\ntag v1\ntagger A <a@b> 0 +0000\n\nx\n".encode())


def _huge_tree(root: Path, head: str, chance: Random) -> str:
    blob = git(root, "rev-parse", f"{head}:roads.py")
    mode, current = b"100644", blob
    for _ in range(chance.choice(LEVELS)):
        content = b"".join(
            _row(mode, b"%02d" % at + (b".py" if mode[0] == 49 else b""), current) for at in range(TIMES)
        )
        mode, current = b"40000", _literal(root, "tree", content)
    return _commit_of(root, current, head)


def _refs(root: Path, head: str, chance: Random) -> None:
    folder = root / ".git"
    named = (head, "refs/heads/a"), ("4" * 40, "refs/heads/b"), (head, "refs/heads/../x"), (head, "HEAD")
    lines = "".join(f"{commit} {ref}\n" for commit, ref in named) + f"^{head}\n# pack-refs with: x\n"
    writes = (
        ("packed-refs", lines),
        ("packed-refs", "\0" * 100),
        ("HEAD", "ref: refs/heads/none\n"),
        ("HEAD", f"{'5' * 40}\n"),
        ("HEAD", "garbage\n"),
        ("refs/heads/loop", "ref: refs/heads/loop\n"),
        ("refs/heads/bad", "x" * 41),
        ("refs/heads/main", f"{head}\n"),
        ("shallow", f"{head}\n"),
        ("shallow", "no id\n"),
        ("info/grafts", f"{head} {'6' * 40}\n"),
        (f"refs/replace/{head}", "".join(reversed(head)) + "\n"),
        ("objects/info/alternates", f"{folder}/objects\n/nowhere\n"),
        ("index", "DIRC" + "\0\0\0\x02" + "\x7f" * 40),
        ("commondir", "../nowhere\n"),
    )
    for name, content in chance.sample(writes, 3):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)


def _graft(root: Path, head: str, _: Random) -> None:
    """The base becomes a commit upon the change."""
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "grafts").write_text(f"{git(root, 'rev-parse', 'main')} {head}\n")


def _replaced(root: Path, head: str, _: Random) -> None:
    git(root, "replace", "--graft", "main", head)


def _false_cut(root: Path, head: str, chance: Random) -> None:
    cut = chance.choice((head, git(root, "rev-parse", "main")))
    (root / ".git" / "shallow").write_text(f"{cut}\n")


def _commit_graph(root: Path, head: str, _: Random) -> None:
    """The base gets the change as its parent, and a generation after it (gitformat-commit-graph(5))."""
    git(root, "-c", "commitGraph.generationVersion=1", "commit-graph", "write", "--reachable")
    path = root / ".git" / "objects" / "info" / "commit-graph"
    graph = bytearray(path.read_bytes())
    ids, data = (struct.unpack_from(">Q", graph, graph.index(chunk) + 4)[0] for chunk in (b"OIDL", b"CDAT"))
    order = [graph[at : at + 20].hex() for at in range(ids, data, 20)]
    row = data + 36 * order.index(git(root, "rev-parse", "main"))
    (time,) = struct.unpack_from(">I", graph, row + 28)
    struct.pack_into(">III", graph, row + 20, order.index(head), 0x70000000, (99 << 2) | (time & 3))
    graph[-20:] = hashlib.sha1(graph[:-20], usedforsecurity=False).digest()
    _rewrite(path, bytes(graph))


def _settings(root: Path, _: str, chance: Random) -> None:
    """Programs that the repository names, and settings that change what git says."""
    planted = root / "planted"
    for name in SETTINGS:
        git(root, "config", name, f"touch {planted}; cat; true")
    for hook in ("post-checkout", "reference-transaction", "fsmonitor-watchman", "post-index-change", "pre-commit"):
        path = root / ".git" / "hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {planted}\n")
        path.chmod(0o755)
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text(ATTRIBUTES)
    for value in chance.sample(VALUES, 3):
        git(root, "config", *value.split(), check=False)


def _config_file(root: Path, _: str, chance: Random) -> None:
    content = chance.choice(
        (b"[", b"[core]\n\tbare = maybe\n", b"\0" * 50, b"[include]\n\tpath = config\n", b"[core\xff]\nx=\\q\n")
    )
    with (root / ".git" / "config").open("ab") as file:
        file.write(content)


LATEST = ("scan --since", "hook --pre-push")
"""Commands that compare with the last commit that two histories share, or list what only one of them has."""
FALSE_HISTORIES: dict[str, Callable[[Path, str, Random], str | None]] = {
    "grafts": _graft,
    "a replaced commit": _replaced,
    "a false cut": _false_cut,
    "a forged commit graph": _commit_graph,
}
KINDS: dict[str, Callable[[Path, str, Random], str | None]] = {
    SOUND: lambda *_: None,
    "a flipped byte": _flipped,
    "a cut object": _cut,
    "a missing object": _gone,
    SWAPPED: _of_another,
    "an object that lies": _lying,
    "a damaged pack": _packed,
    "an odd tree": _odd_tree,
    "a damaged tree": _damaged_tree,
    "an odd commit": _odd_commit,
    "a tag": _tag,
    "a huge tree": _huge_tree,
    "odd refs": _refs,
    **FALSE_HISTORIES,
    "hostile settings": _settings,
    "a damaged configuration": _config_file,
}
PART = Part("repositories", "odd and damaged git repositories", 57, 500, _prepared)
