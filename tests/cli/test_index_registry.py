"""``index push`` and ``index pull``: an index as an artifact in a registry of container images."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from typing import TYPE_CHECKING

import pytest
from oras.client import OrasClient

from support.command import Ended, winnow
from support.oci_registry import OciRegistry, running
from winnow_ci.fetching.cache import put_file
from winnow_ci.fetching.oci import INDEX_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOWHERE = {"HTTPS_PROXY": "http://localhost:9", "NO_PROXY": "", "no_proxy": ""}


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OciRegistry]:
    with running(tmp_path_factory.mktemp("registry")) as found:
        yield found


@pytest.fixture(scope="module")
def pushed(registry: OciRegistry, known: Path) -> str:
    """The name of an index that was pushed."""
    ended = winnow(
        *("index", "push", known, f"{registry.host}/acme/known:2026"),
        cwd=known.parent,
        **registry.trusted,
        **registry.known,
    )
    assert ended.status == 0, ended
    return ended.output.strip()


def pull(registry: OciRegistry, folder: Path, *arguments: str, **settings: str) -> Ended:
    every = {**registry.trusted, **registry.known, "WINNOW_CI_CACHE_DIR": str(folder / "cache"), **settings}
    return winnow("index", "pull", *arguments, cwd=folder, **every)


def test_what_was_pushed_is_pulled_by_its_digest_and_once(
    registry: OciRegistry, pushed: str, known: Path, tmp_path: Path
) -> None:
    assert re.fullmatch(rf"{registry.host}/acme/known@sha256:[0-9a-f]{{64}}", pushed)
    ended = pull(registry, tmp_path, pushed, "i.db")
    assert ended.status == 0, ended
    assert (tmp_path / "i.db").read_bytes() == known.read_bytes()
    assert pull(registry, tmp_path, pushed, "again.db", **NOWHERE).status == 0
    assert (tmp_path / "again.db").read_bytes() == known.read_bytes()


def test_pushing_again_gives_the_same_name(registry: OciRegistry, pushed: str, known: Path) -> None:
    settings = {**registry.trusted, **registry.known}
    again = winnow("index", "push", known, f"{registry.host}/acme/other:1", cwd=known.parent, **settings)
    assert again.output.strip().partition("@")[2] == pushed.partition("@")[2]


def test_a_mirror_serves_if_the_first_place_does_not(registry: OciRegistry, pushed: str, tmp_path: Path) -> None:
    digest = pushed.partition("@")[2]
    elsewhere = f"{registry.host}/nobody/known@{digest}"
    problem, _ = pull(registry, tmp_path, elsewhere, "i.db").complaint(3)
    assert "the server answers 404" in problem
    assert pull(registry, tmp_path, elsewhere, "i.db", "--mirror", f"{registry.host}/acme/known").status == 0


def test_without_the_password_it_is_refused(registry: OciRegistry, pushed: str, known: Path, tmp_path: Path) -> None:
    stranger = {"HOME": str(tmp_path)}
    problem, remedy = pull(registry, tmp_path, pushed, "i.db", **stranger).complaint(3)
    assert registry.host in problem
    assert "docker login" in remedy
    place = f"{registry.host}/acme/known:1"
    settings = {**registry.trusted, **stranger}
    assert registry.host in winnow("index", "push", known, place, cwd=known.parent, **settings).complaint(3)[0]


# The registry itself checks manifests, and no blobs.
@pytest.mark.parametrize(("which", "said"), [("manifest", "the server answers 500"), ("index", "its sha256 is")])
def test_other_bytes_are_refused(
    registry: OciRegistry, pushed: str, known: Path, tmp_path: Path, which: str, said: str
) -> None:
    digest = pushed.rpartition(":")[2]
    contents = {file: file.read_bytes() for file in registry.blobs()}
    wanted = known.read_bytes()
    for file, content in contents.items():
        if (file.parent.name == digest) if which == "manifest" else (content == wanted):
            file.write_bytes(content.replace(b"e", b"f"))
    try:
        problem, _ = pull(registry, tmp_path, pushed, "i.db").complaint(3)
    finally:
        for file, content in contents.items():
            file.write_bytes(content)
    assert said in problem
    assert not (tmp_path / "i.db").exists()


def test_an_artifact_that_is_no_index_is_refused(registry: OciRegistry, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("notes")
    settings = {**registry.trusted, **registry.known}
    environment = os.environ.copy()
    os.environ.update(settings)
    try:
        client = OrasClient(auth_backend="basic")
        answer = client.push(
            target=f"{registry.host}/acme/notes:1", files=[str(tmp_path / "notes")], disable_path_validation=True
        )
    finally:
        os.environ.clear()
        os.environ.update(environment)
    digest = answer.headers["Docker-Content-Digest"]
    assert "not an index" in pull(registry, tmp_path, f"{registry.host}/acme/notes@{digest}", "i.db").complaint(3)[0]


MANIFEST = '{"layers": [{"mediaType": "%s", "digest": %s, "size": %s}]}'


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "[]",
        "{}",
        '{"layers": []}',
        "[" * 10_000,
        MANIFEST % ("text/plain", f'"sha256:{"0" * 64}"', 9),
        *(MANIFEST % (INDEX_TYPE, digest, 9) for digest in ("1", "null", '"sha256:../../x"', '"md5:0"')),
        *(
            MANIFEST % (INDEX_TYPE, f'"sha256:{"0" * 64}"', size)
            for size in ("0", "-1", "1e999", "NaN", '"9"', 1 << 60)
        ),
    ],
    ids=lambda text: text[:40],
)
def test_a_manifest_of_anything_else_is_refused(
    registry: OciRegistry, tmp_path: Path, manifest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINNOW_CI_CACHE_DIR", str(tmp_path / "cache"))
    digest = put_file(manifest.encode()).name
    assert (
        "not an index"
        in pull(registry, tmp_path, f"{registry.host}/acme/known@sha256:{digest}", "i.db").complaint(3)[0]
    )


def test_an_unreachable_registry_and_odd_names(registry: OciRegistry, pushed: str, known: Path, tmp_path: Path) -> None:
    problem, _ = pull(registry, tmp_path, pushed, "i.db", **NOWHERE).complaint(3)
    assert registry.host in problem
    assert "needs its digest" in pull(registry, tmp_path, f"{registry.host}/acme/known:2026", "i.db").complaint(2)[0]
    for odd in ("known", "acme/known:1", "https://example.org/known:1", f"{registry.host}/Known:1", "h.io/a@sha256:1"):
        assert "is not the name of an artifact" in winnow("index", "push", known, odd, cwd=tmp_path).complaint(2)[0]


def test_a_damaged_index_is_not_pushed(registry: OciRegistry, known: Path, tmp_path: Path) -> None:
    damaged = shutil.copy(known, tmp_path / "damaged.db")
    with sqlite3.connect(damaged) as connection:
        connection.execute("UPDATE block SET postings = x'00' WHERE id = 0")
    connection.close()
    settings = {**registry.trusted, **registry.known}
    ended = winnow("index", "push", damaged, f"{registry.host}/acme/damaged:1", cwd=tmp_path, **settings)
    assert "is damaged" in ended.complaint(3)[0]
