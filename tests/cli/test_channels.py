"""Channels: a configuration follows a signed file that names the newest index."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from support.command import Ended, build, winnow
from support.donor import write_known
from support.https import Authority, Server, answer, serving
from winnow_ci.index import WholeIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.repository import Checkout

NOWHERE = {"HTTPS_PROXY": "http://localhost:9", "NO_PROXY": "", "no_proxy": ""}


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two keys of SSH: ``ours`` and ``theirs``."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ours", "theirs"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"{name} of 2026", "-f", folder / name], check=True
        )
    return folder


class Channel(NamedTuple):
    """A channel on a server, and a repository whose configuration follows it."""

    server: Server
    keys: Path
    checkout: Checkout
    settings: dict[str, str]
    cache: Path

    def publish(self, index: Path, *more: str, key: str = "ours", path: str = "/known.db") -> Ended:
        """Sign the channel, and put it and the index on the server."""
        file = self.keys / "python.channel"
        mirror = ("--mirror", f"{self.server.url}{path}")
        ended = winnow(
            *("index", "publish", index, file, "--sign", self.keys / key, *mirror, *more), cwd=self.checkout.root
        )
        assert ended.status == 0, ended
        self.server.pages.update({"/python.channel": file.read_bytes(), path: index.read_bytes()})
        return ended

    def scan(self, *arguments: str, **environment: str) -> Ended:
        settings = {**self.settings, **environment}
        return winnow("scan", "--format", "json", *arguments, cwd=self.checkout.root, **settings)

    def age(self, days: float = 2) -> None:
        """Let what was accepted last be some days old."""
        (accepted,) = (self.cache / "channels").iterdir()
        before = time.time() - days * 24 * 3600
        os.utime(accepted, (before, before))


@pytest.fixture
def channel(copied: Checkout, authority: Authority, keys: Path, cache: Path) -> Iterator[Channel]:
    with serving(authority) as server:
        public = (keys / "ours.pub").read_text().strip()
        copied.write(".winnow.yml", f"index:\n- channel: {server.url}/python.channel\n  signers: ['{public}']\n")
        settings = {**authority.trusted(), "WINNOW_CI_CACHE_DIR": str(cache)}
        yield Channel(server, keys, copied, settings, cache)


@pytest.fixture
def without_copies(tmp_path: Path) -> Path:
    """An index that has nothing of the change."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "other.py").write_text(
        "\n".join(f"def f{n}(a, b): return [a[{n}] + b for _ in range({n})]" for n in range(9))
    )
    build(tmp_path / "other", tmp_path / "other.db")
    return tmp_path / "other.db"


def test_a_scan_follows_it_and_asks_once_a_day(channel: Channel, known: Path, without_copies: Path) -> None:
    channel.publish(known)
    ended = channel.scan()
    assert (ended.status, len(ended.findings())) == (1, 2)
    with WholeIndex(known) as index:
        (used,) = ended.report()["scan"]["indexes"]
        assert (used["path"], used["digest"]) == (f"{channel.server.url}/python.channel", index.digest)
    assert channel.server.paths() == ["/python.channel", "/known.db"]
    time.sleep(1)
    channel.publish(without_copies, path="/new.db")
    assert channel.scan().status == 1
    assert len(channel.server.requests) == 2
    channel.age()
    assert channel.scan().status == 0
    assert channel.server.paths()[2:] == ["/python.channel", "/new.db"]


@pytest.mark.parametrize("days", [2, -2])
def test_the_same_index_is_not_downloaded_again(channel: Channel, known: Path, days: int) -> None:
    channel.publish(known)
    channel.scan()
    channel.age(days)
    assert channel.scan().status == 1
    assert channel.server.paths() == ["/python.channel", "/known.db", "/python.channel"]


def test_without_a_network_the_last_index_serves_on_and_people_are_told(channel: Channel, known: Path) -> None:
    channel.publish(known)
    problem, _ = channel.scan(**NOWHERE).complaint(3)
    assert "the channel cannot be reached" in problem
    assert channel.scan().status == 1
    channel.age()
    ended = channel.scan(**NOWHERE)
    assert (ended.status, len(ended.findings())) == (1, 2)
    assert "the channel cannot be reached" in ended.errors
    assert "from the cache" in ended.errors


def test_an_older_file_than_the_accepted_one_is_refused(channel: Channel, known: Path, without_copies: Path) -> None:
    channel.publish(without_copies, path="/old.db")
    old = channel.server.pages["/python.channel"]
    time.sleep(1)
    channel.publish(known)
    assert channel.scan().status == 1
    channel.server.pages["/python.channel"] = old
    channel.age()
    problem, remedy = channel.scan().complaint(3)
    assert "was seen before" in problem
    assert "an old file" in remedy


def forged_date(content: bytes) -> bytes:
    return content.replace(b'"date": "2', b'"date": "3', 1)


def forged_mirror(content: bytes) -> bytes:
    return content.replace(b"known.db", b"other.db", 1)


def without_signature(content: bytes) -> bytes:
    return content.partition(b"-----BEGIN")[0]


def cut(content: bytes) -> bytes:
    return content[:-60]


def nothing(_: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("forge", [forged_date, forged_mirror, without_signature, cut, nothing])
def test_a_file_that_was_changed_is_refused(channel: Channel, known: Path, forge: Callable[[bytes], bytes]) -> None:
    channel.publish(known)
    content = channel.server.pages["/python.channel"]
    assert isinstance(content, bytes)
    channel.server.pages["/python.channel"] = forge(content)
    problem, _ = channel.scan().complaint(3)
    assert "has signed the channel" in problem or "not a channel of winnow-ci" in problem


def test_a_key_that_the_configuration_does_not_name_is_refused_also_for_a_new_file(
    channel: Channel, known: Path
) -> None:
    channel.publish(known)
    channel.scan()
    channel.publish(known, key="theirs")
    channel.age()
    problem, remedy = channel.scan().complaint(3)
    assert "none of the signers" in problem
    assert "do not add a key that came with the channel" in remedy


def test_a_signature_for_another_purpose_is_none(channel: Channel, known: Path) -> None:
    channel.publish(known)
    content = channel.server.pages["/python.channel"]
    assert isinstance(content, bytes)
    signed = content.partition(b"-----BEGIN")[0]
    arguments = ["ssh-keygen", "-Y", "sign", "-f", channel.keys / "ours", "-n", "git"]
    other = subprocess.run(arguments, input=signed, capture_output=True, check=True).stdout
    channel.server.pages["/python.channel"] = signed + other
    assert "none of the signers" in channel.scan().complaint(3)[0]


def test_the_next_mirror_serves_if_one_is_down_or_has_another_file(channel: Channel, known: Path) -> None:
    third = ("--mirror", f"{channel.server.url}/wrong.db", "--mirror", f"{channel.server.url}/third.db")
    channel.publish(known, *third, path="/first.db")
    del channel.server.pages["/first.db"]
    channel.server.pages.update({"/wrong.db": b"x" * known.stat().st_size, "/third.db": known.read_bytes()})
    assert channel.scan().status == 1
    assert channel.server.paths() == ["/python.channel", "/first.db", "/wrong.db", "/third.db"]


def test_while_no_mirror_has_the_new_index_the_one_before_serves_on(
    channel: Channel, known: Path, without_copies: Path
) -> None:
    channel.publish(known)
    channel.scan()
    time.sleep(1)
    channel.publish(without_copies, path="/new.db")
    del channel.server.pages["/new.db"]
    channel.age()
    for _ in range(2):
        ended = channel.scan()
        assert (ended.status, len(ended.findings())) == (1, 2)
        assert "no mirror has the index" in ended.errors
    channel.server.pages["/new.db"] = without_copies.read_bytes()
    assert channel.scan().status == 0


def test_an_older_file_is_refused_after_a_signer_was_added(channel: Channel, known: Path, without_copies: Path) -> None:
    channel.publish(without_copies, path="/old.db")
    old = channel.server.pages["/python.channel"]
    time.sleep(1)
    channel.publish(known)
    assert channel.scan().status == 1
    both = [(channel.keys / f"{name}.pub").read_text().strip() for name in ("ours", "theirs")]
    channel.checkout.write(
        ".winnow.yml", f"index:\n- channel: {channel.server.url}/python.channel\n  signers: {both}\n"
    )
    channel.server.pages["/python.channel"] = old
    channel.age()
    assert "was seen before" in channel.scan().complaint(3)[0]


SOUND = {
    "name": "python",
    "date": "2026-11-27T18:00:00Z",
    "root": "0" * 32,
    "sha256": "0" * 64,
    "size": 1,
    "mirrors": ["https://example.org/i.db"],
}


@pytest.mark.parametrize(
    "said",
    [
        *({key: value for key, value in SOUND.items() if key != left_out} for left_out in SOUND),
        *([], None, "text", {**SOUND, "more": 1}),
        *({**SOUND, "date": date} for date in ("today", "2026-1-7T1:2:3Z", 20261127)),
        *(
            {**SOUND, "mirrors": urls}
            for urls in ([], ["http://example.org/i"], ["https://a:b@example.org/i"], [1], "x")
        ),
        *({**SOUND, **one} for one in ({"size": 0}, {"size": 1 << 60}, {"sha256": "x"}, {"root": "../.."})),
    ],
    ids=str,
)
def test_a_signer_who_signs_nonsense_is_refused(channel: Channel, said: object) -> None:
    signed = b"winnow-ci channel 1\n" + json.dumps(said).encode() + b"\n"
    arguments = ["ssh-keygen", "-Y", "sign", "-f", channel.keys / "ours", "-n", "winnow-ci-channel"]
    signature = subprocess.run(arguments, input=signed, capture_output=True, check=True).stdout
    channel.server.pages["/python.channel"] = signed + signature
    assert "the channel has impossible values" in channel.scan().complaint(3)[0]


def test_a_mirror_that_sends_more_than_the_index_is_left(channel: Channel, known: Path) -> None:
    channel.publish(known)
    sent = known.read_bytes() + b"more"
    channel.server.pages["/known.db"] = lambda handler: answer(handler, 200, sent)
    problem, _ = channel.scan().complaint(3)
    assert "no mirror has the index" in problem
    assert "larger than" in problem


def test_ssh_keygen_is_needed(channel: Channel, known: Path, tmp_path: Path) -> None:
    channel.publish(known)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(shutil.which("git") or "")
    problem, remedy = channel.scan(PATH=str(tmp_path / "bin")).complaint(3)
    assert "ssh-keygen cannot be started" in problem
    assert "install OpenSSH" in remedy


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("{channel: 'https://example.org/c'}", "an index that follows a channel needs its signers"),
        ("{signers: ['ssh-ed25519 AAAA']}", "an index that follows a channel needs its channel"),
        ("{channel: 'http://example.org/c', signers: ['ssh-ed25519 AAAA']}", "is not an https URL"),
        ("{channel: 'https://example.org/c', signers: []}", "signers is empty"),
        ("{channel: 'https://example.org/c', signers: ['ours.pub']}", "'ours.pub' is not an SSH public key"),
        ("{channel: 'https://example.org/c', signers: ['* ssh-ed25519 AAAA']}", "is not an SSH public key"),
        ("{chanel: 'https://example.org/c'}", "unknown key 'chanel'"),
    ],
)
def test_what_a_configuration_cannot_say(channel: Channel, entry: str, problem: str) -> None:
    channel.checkout.write(".winnow.yml", f"index: [{entry}]\n")
    ended = channel.scan()
    assert ended.status == 2
    assert problem in ended.errors


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("c.channel", "--sign", "ours"), "a channel needs an index, the file to write, and the URL of the index"),
        (("c.channel", "--sign", "ours", "--mirror", "http://example.org/i.db"), "is not an https URL"),
        (("c.channel", "--sign", "nobody", "--mirror", "https://example.org/i.db"), "ssh-keygen cannot sign with"),
        (("c.channel", "--mirror", "https://example.org/i.db"), "an index cannot be published there"),
    ],
)
def test_what_cannot_be_published(keys: Path, tmp_path: Path, arguments: tuple[str, ...], problem: str) -> None:
    build(write_known(tmp_path / "source"), tmp_path / "i.db")
    shutil.copy(keys / "ours", tmp_path / "ours")
    ended = winnow("index", "publish", "i.db", *arguments, cwd=tmp_path)
    assert ended.status in {2, 3}
    assert problem in ended.errors
    assert not (tmp_path / "c.channel").exists()
