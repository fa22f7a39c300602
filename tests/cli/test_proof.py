"""A proof that a commit was looked up: ``scan --format in-toto:FILE``, ``ssh-keygen -Y sign`` and ``verify``."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement

from support.command import Ended, build, winnow
from support.donor import INNOCENT, SHORTEST_ROUTE, write_known
from support.repository import Checkout
from winnow_ci.index import WholeIndex

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Proved(NamedTuple):
    """A repository with a commit, keys, and a signed statement about the commit."""

    checkout: Checkout
    folder: Path

    @property
    def file(self) -> Path:
        return self.folder / "proof.json"

    @property
    def content(self) -> Any:
        return json.loads(self.file.read_text(encoding="utf-8"))

    def scan(self, *options: str) -> Ended:
        return winnow("scan", *(options or ("--all",)), "--format", f"in-toto:{self.file}", cwd=self.checkout.root)

    def sign(self, key: str = "ours", namespace: str = "winnow-ci") -> None:
        self.file.with_name("proof.json.sig").unlink(missing_ok=True)
        subprocess.run(
            ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", self.folder / key, self.file],
            check=True,
            capture_output=True,
        )

    def verify(self, *options: str | Path) -> Ended:
        by = options or ("--keys", self.folder / "ours.pub")
        return winnow("verify", self.file, *by, cwd=self.checkout.root)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, known: Path) -> Path:
    """A folder with what ``Proved`` has, to be copied."""
    folder = tmp_path_factory.mktemp("made")
    for name in ("ours", "theirs"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    checkout = Checkout.create(folder / "checkout")
    checkout.commit({"src/own.py": INNOCENT, ".winnow.yml": f"index: ['{known}']\npolicy: {{deny: ['GPL-*']}}\n"})
    proved = Proved(checkout, folder)
    assert proved.scan().status == 0
    proved.sign()
    return folder


@pytest.fixture
def proved(tmp_path: Path, made: Path) -> Proved:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return Proved(Checkout(tmp_path / "checkout"), tmp_path)


def test_a_commit_is_proved(proved: Proved, known: Path) -> None:
    ended = proved.verify()
    commit = proved.checkout.git("rev-parse", "HEAD")
    assert (ended.status, ended.output) == (0, "")
    assert f"commit {commit}, the whole work tree: passed by winnow-ci" in ended.errors
    said = proved.content
    assert said["subject"][0]["digest"] == {
        "gitCommit": commit,
        "gitTree": proved.checkout.git("rev-parse", "HEAD^{tree}"),
    }
    with WholeIndex(known) as index:
        root = index.digest
    assert [index["root"] for index in said["predicate"]["indexes"]] == [root]


def test_the_library_of_in_toto_accepts_it(proved: Proved) -> None:
    said = json_format.Parse(proved.file.read_text(encoding="utf-8"), statement_pb2.Statement())
    Statement.copy_from_pb(said).validate()
    assert said.type == "https://in-toto.io/Statement/v1"


def test_the_same_commit_has_the_same_statement(proved: Proved) -> None:
    before = proved.file.read_bytes()
    assert proved.scan().status == 0
    assert proved.file.read_bytes() == before


def test_a_range_is_proved_whatever_the_work_tree_has(proved: Proved) -> None:
    proved.checkout.commit({"src/more.py": "x = 1\n"})
    proved.checkout.write("src/uncommitted.py", "y = 2\n")
    assert proved.scan("--range", "HEAD~1..HEAD").status == 0
    proved.sign()
    assert proved.verify().status == 0


@pytest.mark.parametrize("case", ["uncommitted", "staged", "deleted", "paths", "itself"])
def test_what_is_no_commit_has_no_proof(proved: Proved, case: str) -> None:
    proved.file.unlink()
    options = ["--all"]
    if case == "uncommitted":
        proved.checkout.write("src/own.py", "x = 1\n")
    elif case == "staged":
        proved.checkout.stage("src/more.py", "x = 1\n")
        proved.checkout.git("checkout-index", "src/more.py")
    elif case == "deleted":
        (proved.checkout.root / "src/own.py").unlink()
    elif case == "itself":
        options = ["--range", "HEAD..HEAD"]
    else:
        options = ["--all", "src"]
    ended = proved.scan(*options)
    assert ended.status == 2, ended
    assert ("proves nothing" if case == "itself" else "a proof is about") in ended.errors
    assert not proved.file.exists()


def test_a_verdict_that_is_not_good_proves_nothing(proved: Proved) -> None:
    proved.checkout.commit({"src/route.py": SHORTEST_ROUTE.text})
    assert proved.scan().status == 1
    proved.sign()
    assert proved.content["predicate"]["verdict"] == "failed"
    ended = proved.verify()
    assert ended.status == 1
    assert "the verdict is failed" in ended.errors


def _other_commit(proved: Proved) -> None:
    proved.checkout.commit({"src/more.py": "x = 1\n"})


def _same_tree_amended(proved: Proved) -> None:
    proved.checkout.git("commit", "--quiet", "--amend", "--message", "another")


def _other_policy(proved: Proved) -> None:
    text = (proved.checkout.root / ".winnow.yml").read_text().replace("GPL-*", "AGPL-*")
    proved.checkout.write(".winnow.yml", text)


def _accepted_more(proved: Proved) -> None:
    proved.checkout.write(".winnow.yml", (proved.checkout.root / ".winnow.yml").read_text() + "own: ['*']\n")


def _other_index(proved: Proved) -> None:
    other = proved.folder / "other.db"
    build(write_known(proved.folder / "source"), other)
    text = (proved.checkout.root / ".winnow.yml").read_text()
    proved.checkout.write(".winnow.yml", f"index: ['{other}']\n{text[text.index('policy') :]}")


def _one_more_index(proved: Proved) -> None:
    other = proved.folder / "other.db"
    build(write_known(proved.folder / "source"), other)
    text = (proved.checkout.root / ".winnow.yml").read_text()
    proved.checkout.write(".winnow.yml", text.replace("']\npolicy", f"', '{other}']\npolicy"))


def _signed_by_another(proved: Proved) -> None:
    proved.sign("theirs")


def _for_another_purpose(proved: Proved) -> None:
    proved.sign(namespace="git")


def _no_signature(proved: Proved) -> None:
    proved.file.with_name("proof.json.sig").unlink()


def _an_empty_signature(proved: Proved) -> None:
    proved.file.with_name("proof.json.sig").write_bytes(b"")


def _signature_of_another_statement(proved: Proved) -> None:
    """An older, good statement lends its signature to a forged one."""
    said = proved.content
    said["predicate"]["findings"]["suppressed"] = 7
    proved.file.write_text(json.dumps(said, indent=2) + "\n")


def _replayed(proved: Proved) -> None:
    """The statement and the signature of the commit before."""
    kept = {path.name: path.read_bytes() for path in proved.folder.glob("proof.json*")}
    proved.checkout.commit({"src/route.py": SHORTEST_ROUTE.text})
    assert proved.scan().status == 1
    for name, content in kept.items():
        (proved.folder / name).write_bytes(content)


def _not_a_file(proved: Proved) -> None:
    proved.file.unlink()
    proved.file.mkdir()


def _huge(proved: Proved) -> None:
    proved.file.write_bytes(b"[" * (2 << 20))


REJECTED: list[Callable[[Proved], None]] = [
    _other_commit,
    _same_tree_amended,
    _other_policy,
    _accepted_more,
    _other_index,
    _one_more_index,
    _signed_by_another,
    _for_another_purpose,
    _no_signature,
    _an_empty_signature,
    _signature_of_another_statement,
    _replayed,
    _not_a_file,
    _huge,
]


@pytest.mark.parametrize("attack", REJECTED, ids=lambda attack: attack.__name__.strip("_"))
def test_a_proof_of_something_else_is_rejected(proved: Proved, attack: Callable[[Proved], None]) -> None:
    attack(proved)
    ended = proved.verify()
    assert (ended.status, ended.output) == (1, ""), ended


def _set(*path: str | int, to: Any) -> Callable[[Any], None]:
    def change(said: Any) -> None:
        for key in path[:-1]:
            said = said[key]
        said[path[-1]] = to

    return change


FORGED: dict[str, Callable[[Any], None]] = {
    "commit": _set("subject", 0, "digest", "gitCommit", to="0" * 40),
    "tree": _set("subject", 0, "digest", "gitTree", to="0" * 40),
    "root": _set("predicate", "indexes", 0, "root", to="0" * 32),
    "no roots": _set("predicate", "indexes", to=[]),
    "policy": _set("predicate", "policy_digest", to="0" * 64),
    "verdict": _set("predicate", "verdict", to="failed"),
    "verdict of another type": _set("predicate", "verdict", to=["passed"]),
    "two subjects": lambda said: said["subject"].append(said["subject"][0]),
    "no subject": _set("subject", to=[]),
    "type": _set("predicateType", to="urn:other"),
    "statement": _set("_type", to="https://in-toto.io/Statement/v0.1"),
    "tool": _set("predicate", "tool", "name", to="other"),
    "no predicate": _set("predicate", to=None),
    "subject is text": _set("subject", to="a"),
    "nested": _set("predicate", "tool", to=[[[[]]]]),
}


@pytest.mark.parametrize("forged", FORGED)
def test_what_a_statement_says_is_checked_even_if_it_is_signed(proved: Proved, forged: str) -> None:
    said = proved.content
    FORGED[forged](said)
    proved.file.write_text(json.dumps(said, indent=2) + "\n")
    assert proved.verify("--unsigned").status == 1
    proved.sign()
    assert proved.verify().status == 1


def test_no_changed_byte_is_accepted(proved: Proved) -> None:
    """Each byte is flipped once; in one run, since verify ends in the same way for each."""
    content = proved.file.read_bytes()
    keys = proved.folder / "ours.pub"
    for place in range(0, len(content), max(1, len(content) // 12)):
        proved.file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert winnow("verify", proved.file, "--keys", keys, cwd=proved.checkout.root).status == 1
    for spaced in (content + b"\n", content.replace(b"\n", b"\r\n"), content.replace(b'": ', b'":  ', 1)):
        proved.file.write_bytes(spaced)
        assert proved.verify("--unsigned").status == 1
        assert proved.verify().status == 1


def test_only_a_scan_writes_one(proved: Proved) -> None:
    for command in (["check", "src/own.py"], ["report", "report.json"]):
        ended = winnow(*command, "--format", "in-toto:other.json", cwd=proved.checkout.root)
        assert ended.status == 2
        assert "winnow-ci scan --format in-toto:FILE" in ended.errors


def test_verify_names_who_is_trusted(proved: Proved) -> None:
    assert winnow("verify", proved.file, cwd=proved.checkout.root).status == 2
    empty = proved.folder / "empty"
    empty.write_text("# nobody\n")
    assert proved.verify("--keys", empty).status == 2
    both = proved.folder / "both"
    both.write_text("".join((proved.folder / f"{name}.pub").read_text() for name in ("theirs", "ours")))
    assert proved.verify("--keys", both).status == 0


def test_a_keys_file_cannot_widen_what_a_key_may_sign(proved: Proved) -> None:
    """ssh-keygen's own file has options before a key, which would apply to other namespaces."""
    keys = proved.folder / "options"
    for options in ('namespaces="git" ', "cert-authority ", "* "):
        keys.write_text(f"{options}{(proved.folder / 'ours.pub').read_text()}")
        assert proved.verify("--keys", keys).status == 2


def test_another_commit_can_be_asked_about(proved: Proved) -> None:
    shutil.copy(proved.file, proved.folder / "kept.json")
    proved.checkout.commit({"src/more.py": "x = 1\n"})
    assert proved.verify("--keys", proved.folder / "ours.pub", "--commit", "HEAD~1").status == 0
    assert proved.verify("--keys", proved.folder / "ours.pub", "--commit", "nowhere").status == 3
