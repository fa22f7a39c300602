"""Links, pipes, devices and endless files where files of ours are expected: no command waits, or reads for ever."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from support.command import Ended, winnow
from support.donor import CHANGE
from support.repository import Checkout
from support.windows import HERE
from winnow_ci.fetching.cache import cached_file, put_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Checkout:
    checkout = Checkout.create(tmp_path / "project")
    checkout.commit({"a.py": "a = 1\n"})
    for path, text in CHANGE.items():
        checkout.write(path, text)
    return checkout


def link_to(target: str) -> Callable[[Path], None]:
    return lambda place: place.symlink_to(target)


def endless(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(1 << 40)


def link_to_itself_elsewhere(place: Path) -> None:
    """The right file, but behind a link, whose target another job may change at any time."""
    place.symlink_to(place.with_name("kept"))


PLANTED: dict[str, Callable[[Path], None]] = {
    "zeros": link_to("/dev/zero"),
    "terminal": link_to("/dev/tty"),
    "nothing": link_to("/nowhere"),
    "loop": link_to("."),
    **({} if HERE else {"pipe": os.mkfifo}),
    "folder": os.mkdir,
    "endless": endless,
    "own": link_to_itself_elsewhere,
}
planted = pytest.mark.parametrize("plant", PLANTED.values(), ids=list(PLANTED))


# ---- the cache of downloads ------------------------------------------------------------------------------------


def cached(known: Path, cache: Path) -> Path:
    """Put an index into the cache, as if it had been downloaded; its place."""
    sha256 = hashlib.sha256(known.read_bytes()).hexdigest()
    place = cache / "files" / sha256[:2] / sha256
    place.parent.mkdir(mode=0o700, parents=True)
    cache.chmod(0o700)
    place.write_bytes(known.read_bytes())
    return place


def scan(checkout: Checkout, cache: Path, sha256: str) -> Ended:
    index = f"https://localhost:1/known.db#sha256={sha256}"
    return winnow("scan", "--index", index, cwd=checkout.root, WINNOW_CI_CACHE_DIR=str(cache))


@planted
def test_an_entry_that_is_no_file_is_as_if_absent(
    known: Path, tmp_path: Path, plant: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINNOW_CI_CACHE_DIR", str(tmp_path / "cache"))
    place = cached(known, tmp_path / "cache")
    assert cached_file(place.name) == place
    place.rename(place.with_name("kept"))
    plant(place)
    assert cached_file(place.name) is None
    if not place.is_dir() or place.is_symlink():
        # What is fetched takes its place.
        assert put_file(known, place.name) == cached_file(place.name)


def test_a_scan_fetches_what_is_no_file(project: Checkout, known: Path, tmp_path: Path) -> None:
    place = cached(known, tmp_path / "cache")
    place.unlink()
    place.symlink_to("/dev/zero")
    problem, _ = scan(project, tmp_path / "cache", place.name).complaint(3)
    assert "localhost" in problem


@planted
@pytest.mark.parametrize("beside", ["seen", "used", "lock", "incoming"])
def test_what_lies_beside_an_entry_stops_nothing(
    project: Checkout, known: Path, tmp_path: Path, plant: Callable[[Path], None], beside: str
) -> None:
    cache = tmp_path / "cache"
    place = cached(known, cache)
    plant({"lock": cache / "lock", "incoming": cache / "incoming-0"}.get(beside, place.with_suffix(f".{beside}")))
    assert scan(project, cache, place.name).status == 1


def test_a_link_in_the_cache_makes_no_file_elsewhere(project: Checkout, known: Path, tmp_path: Path) -> None:
    place = cached(known, tmp_path / "cache")
    for name in (place.with_suffix(".used"), tmp_path / "cache" / "lock"):
        name.symlink_to(tmp_path / "elsewhere")
    assert scan(project, tmp_path / "cache", place.name).status == 1
    assert not (tmp_path / "elsewhere").exists()


# ---- what a job or a checkout names ----------------------------------------------------------------------------


@pytest.mark.parametrize("plant", [PLANTED[name] for name in ("zeros", "pipe", "folder", "endless")])
def test_the_payload_of_an_event(project: Checkout, known: Path, tmp_path: Path, plant: Callable[[Path], None]) -> None:
    plant(tmp_path / "event.json")
    event = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request", "GITHUB_SHA": "0" * 40}
    event["GITHUB_EVENT_PATH"] = str(tmp_path / "event.json")
    winnow("scan", "--index", known, cwd=project.root, **event).complaint(3)


@pytest.mark.parametrize("plant", [PLANTED[name] for name in ("zeros", "pipe", "folder", "endless")])
@pytest.mark.parametrize("name", [".winnow.yml", "baseline.json", "known.db"])
@pytest.mark.parametrize("line", ["scan", "check src/plan.py", "approve --all"])
def test_what_the_configuration_names(
    project: Checkout, known: Path, plant: Callable[[Path], None], name: str, line: str
) -> None:
    index = known if name != "known.db" else name
    if name != ".winnow.yml":
        project.write(".winnow.yml", f"index: ['{index}']\nbaseline: baseline.json\n")
    plant(project.root / name)
    ended = winnow(*line.split(), cwd=project.root)
    assert ended.status in {2, 3}, ended
    assert "Traceback" not in ended.errors
