"""Source packages by apt, from mirrors that are folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from support.debian import Source, publish, source
from winnow_ci.errors import FetchError
from winnow_ci.fetching import fetch, resolve
from winnow_ci.fetching.cache import cached_file
from winnow_ci.fetching.debian_packages import Apt

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.fetching.packages import ResolvedSource

needs_apt = pytest.mark.skipif(not shutil.which("apt-get"), reason="no apt")
OLD, NEW = source("hello", "1:1.9-1", b"int old;\n"), source("hello", "1:1.10-1", b"int new;\n")
SYSTEM = ("/var/lib/apt/lists", "/var/cache/apt", "/var/lib/apt", "/etc/apt")


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror that apt is set up with, for packages only, and settings that would run a program."""
    root = tmp_path / "mirror"
    publish(root, "stable", OLD, source("other", "2.0-1", b"int other;\n"))
    publish(root, "testing", NEW)
    packages = f"deb [trusted=yes arch=amd64] file:{root} stable main\n# deb [x\n"
    _use(tmp_path, monkeypatch, f"{packages}deb-src [trusted=yes] file:{root} testing main\n")
    return root


def _use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mirrors: str, ending: str = "list") -> None:
    parts = tmp_path / "apt"
    parts.mkdir(exist_ok=True)
    (parts / f"mirrors.{ending}").write_text(mirrors)
    hooks = [
        f'APT::Update::{when} {{ "touch {tmp_path}/canary"; }};'
        for when in ("Pre-Invoke", "Post-Invoke", "Post-Invoke-Success")
    ]
    places = f'Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts "{parts}";'
    (tmp_path / "apt.conf").write_text("\n".join([places, *hooks]))
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))


def _contents(paths: tuple[Path, ...]) -> list[bytes]:
    return [path.read_bytes() for path in paths]


def _resolve(text: str) -> ResolvedSource:
    return resolve(text)


def _state_of_the_system() -> dict[str, int]:
    return {path: os.stat(path).st_mtime_ns for path in SYSTEM if os.path.exists(path)}  # noqa: PTH110, PTH116


@needs_apt
def test_a_package_is_pinned_and_fetched_by_what_is_pinned(tmp_path: Path, mirror: Path) -> None:
    before, told = _state_of_the_system(), []
    resolved = _resolve("pkg:deb/winnow/hello@1:1.9-1")
    assert (resolved.name, resolved.version) == ("hello", "1:1.9-1")
    names = [artifact.filename for artifact in resolved.artifacts]
    assert names == ["hello_1.9-1.dsc", "hello_1.9-1.debian.tar.gz", "hello_1.9.orig.tar.gz"]
    paths = fetch("pkg:deb/winnow/hello@1:1.9-1", resolved, lambda done, total: told.append((done, total)))
    assert _contents(paths) == [OLD.files[name] for name in names]
    size = sum(map(len, OLD.files.values()))
    assert told
    assert told[-1] == (size, size)
    # Neither the hooks of the user's settings nor anything of the system.
    assert not (tmp_path / "canary").exists()
    assert _state_of_the_system() == before


@needs_apt
def test_the_newest_of_all_mirrors_or_of_a_release(mirror: Path) -> None:
    assert _resolve("pkg:deb/winnow/hello").version == "1:1.10-1"
    assert _resolve("pkg:deb/hello").version == "1:1.10-1"
    assert _resolve("pkg:deb/winnow/hello?distro=stable").version == "1:1.9-1"
    assert _resolve("pkg:deb/winnow/hello@1:1.10-1?arch=source").version == "1:1.10-1"
    with pytest.raises(FetchError, match=r"no.* mirrors has the source package hello in version 1:1\.9-1"):
        _resolve("pkg:deb/winnow/hello@1:1.9-1?distro=testing")


@needs_apt
def test_a_release_is_also_its_updates(tmp_path: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(mirror, "stable-security", source("hello", "1:1.9-1+u1", b"int u1;\n"))
    publish(mirror, "stable-backports", NEW)
    suites = "stable stable-security stable-backports"
    stanza = f"# mine\nEnabled: yes\nTypes: deb\n deb-src\nURIs: file:{mirror}\nSuites: {suites}\nComponents: main\n"
    _use(tmp_path, monkeypatch, f"{stanza}Architectures: amd64\nTargets: Packages\nTrusted: yes\n", "sources")
    assert _resolve("pkg:deb/winnow/hello?distro=stable").version == "1:1.9-1+u1"
    assert _resolve("pkg:deb/winnow/hello?distro=stable-backports").version == "1:1.10-1"


@needs_apt
@pytest.mark.parametrize(
    ("purl", "problem"),
    [
        ("pkg:deb/winnow/absent", "has the source package absent"),
        ("pkg:deb/winnow/hello@3", "has the source package hello in version 3"),
        ("pkg:deb/debian/hello", "none of your signed mirrors has that distribution"),
        ("pkg:deb/winnow/hello?distro=sid", "none of your signed mirrors has that distribution"),
    ],
)
def test_what_no_mirror_has(mirror: Path, purl: str, problem: str) -> None:
    with pytest.raises(FetchError, match=problem) as raised:
        _resolve(purl)
    if "that distribution" in problem:
        assert "Winnow stable, Winnow testing" in raised.value.remedy


@needs_apt
def test_an_altered_file_is_refused(mirror: Path) -> None:
    resolved = _resolve("pkg:deb/winnow/hello@1:1.9-1")
    tar = mirror / "pool/hello/hello_1.9.orig.tar.gz"
    tar.write_bytes(bytes(reversed(tar.read_bytes())))
    with pytest.raises(FetchError, match=r"apt cannot fetch hello 1:1\.9-1: .*Hash Sum mismatch"):
        fetch("pkg:deb/winnow/hello@1:1.9-1", resolved)
    assert all(cached_file(artifact.sha256) is None for artifact in resolved.artifacts if "orig" in artifact.filename)


@needs_apt
def test_an_altered_list_is_refused(mirror: Path) -> None:
    path = mirror / "dists/testing/main/source/Sources"
    path.write_text(path.read_text().replace("1:1.10-1", "1:1.11-1"))
    with pytest.raises(FetchError, match=r"Hash Sum mismatch|unexpected size"):
        _resolve("pkg:deb/winnow/hello")


@needs_apt
def test_what_is_pinned_is_not_what_the_mirror_has_now(
    tmp_path: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved = _resolve("pkg:deb/winnow/hello@1:1.9-1")
    publish(mirror, "stable", source("hello", "1:1.9-1", b"int evil;\n"))
    monkeypatch.setenv("WINNOW_CI_CACHE_DIR", str(tmp_path / "another"))
    with pytest.raises(
        FetchError, match=r"(hello_1\.9-1\.debian|hello_1\.9-1\.dsc|hello_1\.9\.orig).* differs from the pinned one"
    ):
        fetch("pkg:deb/winnow/hello@1:1.9-1", resolved)


@needs_apt
def test_what_nobody_has_signed_is_refused(tmp_path: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _use(tmp_path, monkeypatch, f"deb file:{mirror} stable main\n")
    with pytest.raises(FetchError, match="is not signed"):
        _resolve("pkg:deb/winnow/hello")
    with pytest.raises(FetchError, match="is not signed"):
        _resolve("pkg:deb/winnow/hello@1:1.9-1")


@needs_apt
def test_what_is_in_the_cache_needs_neither_mirror_nor_apt(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    purl = "pkg:deb/winnow/hello@1:1.9-1"
    resolved = resolve(purl)
    before = fetch(purl, resolved)
    shutil.rmtree(mirror)
    monkeypatch.setenv("PATH", "")
    assert fetch(purl, resolved) == before
    # What is damaged is not used.
    before[2].write_bytes(b"other")
    with pytest.raises(FetchError, match="needs apt, which is not on this machine"):
        fetch(purl, resolved)


@needs_apt
def test_only_what_is_missing_is_fetched(mirror: Path) -> None:
    purl = "pkg:deb/winnow/hello@1:1.9-1"
    resolved = resolve(purl)
    before = fetch(purl, resolved)
    before[1].unlink()
    # Fetching this again would fail.
    (mirror / "pool/hello/hello_1.9.orig.tar.gz").unlink()
    assert fetch(purl, resolved) == before
    assert before[1].read_bytes() == OLD.files["hello_1.9-1.debian.tar.gz"]


@needs_apt
def test_signatures_are_neither_pinned_nor_needed(mirror: Path) -> None:
    publish(mirror, "testing", Source("hello", "1:1.10-1", {**NEW.files, "hello_1.10.orig.tar.gz.asc": b"signature"}))
    (mirror / "pool/hello/hello_1.10.orig.tar.gz.asc").unlink()
    resolved = _resolve("pkg:deb/winnow/hello")
    paths = fetch("pkg:deb/winnow/hello", resolved)
    assert sorted(_contents(paths)) == sorted(NEW.files.values())


@needs_apt
def test_names_of_a_lock_that_somebody_has_edited_lead_nowhere(tmp_path: Path, mirror: Path) -> None:
    purl = "pkg:deb/winnow/hello@1:1.9-1"
    resolved = resolve(purl)
    fetch(purl, resolved)
    first, *others = resolved.artifacts
    missing = others[0]._replace(sha256="0" * 64)
    edited = resolved._replace(artifacts=(first._replace(filename=f"{tmp_path}/escaped"), missing))
    with pytest.raises(FetchError, match="differs from the pinned one"):
        fetch(purl, edited)
    assert not (tmp_path / "escaped").exists()


@needs_apt
def test_several_at_once(mirror: Path) -> None:
    code = (
        "import sys; from winnow_ci.fetching import fetch, resolve; "
        "print(len(fetch(sys.argv[1], resolve(sys.argv[1]))))"
    )
    command = [sys.executable, "-c", code, "pkg:deb/winnow/hello"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate() for process in running] == [(b"3\n", b"")] * 4


@needs_apt
def test_without_mirrors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _use(tmp_path, monkeypatch, "# none\n")
    with pytest.raises(FetchError, match="apt has no mirrors"):
        _resolve("pkg:deb/winnow/hello")


@pytest.mark.parametrize(("age", "digest", "is_fresh"), [(590, "a", True), (601, "a", False), (0, "b", False)])
def test_lists_are_fresh_for_ten_minutes_and_for_the_same_mirrors(
    age: int, digest: str, is_fresh: bool, tmp_path: Path
) -> None:
    stamp = tmp_path / "updated"
    stamp.write_text("a", encoding="ascii")
    os.utime(stamp, (time.time() - age, time.time() - age))
    # A program that fails: an update that is not made cannot fail.
    failing = shutil.which("false") or "/bin/false"
    complaint = Apt(failing, tmp_path, tmp_path, digest).update()
    assert (complaint, stamp.exists()) == ((None, True) if is_fresh else ("ended with status 1", False))
