"""Statements, signatures, keys and repositories that are to prove what nobody has scanned."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from support.donor import INNOCENT, SHORTEST_ROUTE
from support.repository import Checkout
from winnow_ci import cli

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[bytes], bytes]


class Case(NamedTuple):
    """A repository whose tip has a copy, the innocent commit before it, and a good proof of that one."""

    checkout: Checkout
    folder: Path
    good: str
    bad: str
    statement: bytes
    signature: bytes

    @property
    def file(self) -> Path:
        return self.folder / "proof.json"

    @property
    def signed(self) -> Path:
        return self.folder / "proof.json.sig"

    def sign(self, key: str = "ours", namespace: str = "winnow-ci") -> None:
        self.signed.unlink(missing_ok=True)
        line = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", self.folder / key, self.file]
        subprocess.run(line, check=True, capture_output=True)

    def verify(self, commit: str, keys: str = "ours.pub") -> int:
        given = ["--keys", str(self.folder / keys), f"--commit={commit}"]
        return cli.main(["verify", str(self.file), *given])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, known: Path) -> Case:
    folder = tmp_path_factory.mktemp("proofs")
    for name in ("ours", "theirs"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    checkout = Checkout.create(folder / "checkout")
    good = checkout.commit({"src/own.py": INNOCENT, ".winnow.yml": f"index: ['{known}']\n"})
    before = Path.cwd()
    os.chdir(checkout.root)
    try:
        assert cli.main(["scan", "--all", "--format", f"in-toto:{folder / 'proof.json'}"]) == 0
    finally:
        os.chdir(before)
    bad = checkout.commit({"src/route.py": SHORTEST_ROUTE.text})
    case = Case(checkout, folder, good, bad, (folder / "proof.json").read_bytes(), b"")
    case.sign()
    return case._replace(signature=case.signed.read_bytes())


@pytest.fixture
def case(made: Case, monkeypatch: pytest.MonkeyPatch) -> Case:
    """The same, as it was made."""
    for path, content in ((made.file, made.statement), (made.signed, made.signature)):
        path.unlink(missing_ok=True)
        path.write_bytes(content)
    monkeypatch.chdir(made.checkout.root)
    assert made.verify(made.good) == 0
    return made


KEYS = {
    "form feed": "# ours\f{theirs}",
    "vertical tab": "# ours\v{theirs}",
    "carriage return": "# ours\r{theirs}",
    "separator": "# ours\x1c{theirs}",
    "next line": "# ours\x85{theirs}",
    "line separator": "# ours\u2028{theirs}",
    "comment": "#{theirs}",
    "space before": " {theirs}",
    "behind ours": "{ours} {theirs}",
    "authority": "cert-authority {theirs}",
    "namespaces": 'namespaces="*" {theirs}',
    "principals": "* {theirs}",
    "line end in an option": 'valid-before="\\n{theirs}',
    "no key": "ssh-ed25519 AAAA\n",
    "cut": "{cut}\n",
    "nothing": "",
}
"""Files of keys in which a reader sees ours, or none."""


@pytest.mark.parametrize("keys", KEYS)
def test_a_key_that_nobody_sees_is_not_trusted(case: Case, keys: str) -> None:
    case.sign("theirs")
    ours, theirs = ((case.folder / f"{name}.pub").read_text().strip() for name in ("ours", "theirs"))
    text = KEYS[keys].format(ours=ours, theirs=theirs, cut=theirs[:40])
    (case.folder / "keys").write_bytes(text.encode("latin-1", "replace") if keys != "line separator" else text.encode())
    assert case.verify(case.good, "keys") in {1, 2, 3}


def replaced(old: str, new: str) -> Change:
    def change(statement: bytes) -> bytes:
        assert old.encode() in statement
        return statement.replace(old.encode(), new.encode(), 1)

    return change


STATEMENTS: dict[str, Change] = {
    "verdict twice": replaced('"verdict": "passed"', '"verdict": "failed",\n    "verdict": "passed"'),
    "subject twice": replaced('"subject": [', '"subject": [],\n  "subject": ['),
    "key by an escape": replaced('"verdict"', '"verdict\\u0000"'),
    "value by an escape": replaced('"passed"', '"\\u0070assed"'),
    "comment": replaced("{\n", "{ // passed\n"),
    "mark of the byte order": lambda statement: b"\xef\xbb\xbf" + statement,
    "UTF-16": lambda statement: statement.decode().encode("utf-16"),
    "a second one": lambda statement: statement * 2,
    "endless number": replaced('"note": 0', f'"note": {"9" * 5000}'),
    "deep": replaced('"note": 0', f'"note": {"[" * 100_000}{"]" * 100_000}'),
    "a list": lambda statement: b"[%b]" % statement,
    "null": lambda _: b"null\n",
    "short id": lambda statement: json.dumps(json.loads(statement), indent=1).encode(),
    "another digest of rules": replaced('"policy_digest": "', '"policy_digest": "0'),
    "another root": replaced('"root": "', '"root": "0'),
    "another type": replaced("urn:winnow-ci:scan:v1", "urn:winnow-ci:scan:v2"),
}


@pytest.mark.parametrize("changed", STATEMENTS)
def test_a_signed_statement_in_another_form_proves_nothing(case: Case, changed: str) -> None:
    case.file.write_bytes(STATEMENTS[changed](case.statement))
    case.sign()
    assert case.verify(case.good) == 1


def _another_subject(case: Case) -> None:
    """The id of the bad commit with the good tree, signed by a key that is trusted."""
    case.file.write_bytes(case.statement.replace(case.good.encode(), case.bad.encode()))
    case.sign()


def _for_another_purpose(case: Case) -> None:
    case.sign(namespace="file")


def _device(case: Case) -> None:
    case.signed.unlink()
    case.signed.symlink_to("/dev/zero")


def _pipe(case: Case) -> None:
    case.signed.unlink()
    os.mkfifo(case.signed)


def _many_signatures(case: Case) -> None:
    case.signed.write_bytes(case.signature * 10_000)


def _statement_is_a_pipe(case: Case) -> None:
    case.file.unlink()
    os.mkfifo(case.file)


def _statement_is_a_device(case: Case) -> None:
    case.file.unlink()
    case.file.symlink_to("/dev/zero")


FILES: list[Callable[[Case], None]] = [
    _for_another_purpose,
    _device,
    _pipe,
    _many_signatures,
    _statement_is_a_pipe,
    _statement_is_a_device,
]


@pytest.mark.parametrize("forge", FILES, ids=lambda forge: forge.__name__.strip("_"))
def test_a_file_that_is_no_proof_ends_in_time(case: Case, forge: Callable[[Case], None]) -> None:
    forge(case)
    assert case.verify(case.good) == 1


REPOSITORIES: dict[str, tuple[tuple[str, ...], ...]] = {
    "replaced commit": (("replace", "{bad}", "{good}"),),
    "replaced tree": (("replace", "{bad}^{tree}", "{good}^{tree}"),),
    "replaced base of replacements": (("update-ref", "refs/other/{bad}", "{good}"),),
    "tag called HEAD": (("tag", "HEAD", "{good}"),),
    "branch called by the id": (("update-ref", "refs/heads/{bad}", "{good}"),),
    "tag called by the id": (("update-ref", "refs/tags/{bad}", "{good}"),),
    "another work tree": (("config", "core.worktree", "{folder}"),),
    "alias": (("config", "alias.rev-parse", "!echo {good}"),),
    "a reference with a link": (("symbolic-ref", "refs/heads/x", "refs/heads/main"),),
    "abbreviated": (("config", "core.abbrev", "4"),),
}


@pytest.mark.parametrize("forged", REPOSITORIES)
def test_a_repository_cannot_say_that_a_commit_is_another(
    case: Case, forged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Checkout(tmp_path / "copy")
    case.checkout.git("clone", "--quiet", str(case.checkout.root), str(copy.root))
    for line in REPOSITORIES[forged]:
        words = (word.replace("{tree}", "{{tree}}") for word in line)
        copy.git(*(word.format(good=case.good, bad=case.bad, folder=case.folder) for word in words))
    if forged.startswith("replaced base"):
        monkeypatch.setenv("GIT_REPLACE_REF_BASE", "refs/other/")
    monkeypatch.chdir(copy.root)
    for commit in (case.bad, "HEAD", "refs/heads/main"):
        assert case.verify(commit) != 0
    _another_subject(case)
    assert case.verify(case.bad) == 1


@pytest.mark.parametrize("place", ["info/grafts", "shallow"])
def test_other_parents_are_no_other_commit(
    case: Case, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Checkout(tmp_path / "copy")
    case.checkout.git("clone", "--quiet", str(case.checkout.root), str(copy.root))
    (copy.root / ".git" / "info").mkdir(exist_ok=True)
    (copy.root / ".git" / place).write_text(f"{case.bad}\n" if place == "shallow" else f"{case.good} {case.bad}\n")
    monkeypatch.chdir(copy.root)
    assert case.verify(case.good) == 0
    assert case.verify(case.bad) == 1


REVISIONS = [
    "--all",
    "-x",
    "",
    "HEAD:src",
    "HEAD^{tree}",
    "HEAD^@",
    "HEAD..HEAD",
    "@{u}",
    ":/x",
    "HEAD\n",
    "\x1b[2J",
    "x" * 9999,
]


@pytest.mark.parametrize("revision", REVISIONS, ids=lambda revision: repr(revision)[:20])
def test_a_revision_that_is_no_commit_is_refused(case: Case, revision: str) -> None:
    assert case.verify(revision) == 3
