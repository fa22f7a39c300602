"""Keeps fetched repositories, completely or not at all, even if a run is killed.

Git does not fetch atomically: a pack may be in place before git has noted where its history is cut off, and then that
repository can fetch no more. So each fetch makes a new repository, with hard links to the packs of the last one, and
renames it when everything has arrived: ``<digest of the URL>/00000001.git``, ``00000002.git`` … The newest counts; the
one before it stays for processes that still read it. One process writes at a time, and first deletes what killed
processes have left.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.errors import FetchError
from winnow_ci.fetching import cache_folder
from winnow_ci.fetching.git_process import run
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ROOM = "make room there, and see that it can be written"
_PREFIX = "incoming-"
_KEPT = 2


class GitStore(NamedTuple):
    """The repositories of one URL.

    Attributes:
        place: their folder, absolute, which need not exist.
        hash: the algorithm of their ids, by git's name.
    """

    place: Path
    hash: str

    @classmethod
    def of(cls, url: str, folder: Path, wanted: Sequence[str]) -> GitStore:
        """Name the store of a URL; there is one for each length of ids."""
        kind = "sha256" if any(len(one) == 64 for one in wanted) else "sha1"
        return cls(folder.absolute() / f"{hashlib.sha256(url.encode()).hexdigest()[:32]}-{kind}", kind)

    def repository(self) -> Path | None:
        """Return the newest repository, if there is one, which counts as a use of it."""
        with cache_folder.using():
            newest = max(self.place.glob("*.git"), default=None)
            if newest:
                cache_folder.mark_used(self.place)
        return newest

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Lock the store for writing.

        Raises:
            FetchError: it cannot be written.
        """
        with self._explained():
            self.place.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self.place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            for left in self.place.glob(f"{_PREFIX}*"):
                shutil.rmtree(left, ignore_errors=True)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """Give a copy of the newest repository to fetch more into; it is deleted if it is not kept.

        Raises:
            FetchError: it cannot be written.
        """
        with self._explained():
            made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self.place))
        try:
            ended = run(("init", "--quiet", "--bare", "--template=", f"--object-format={self.hash}"), made, "none")
            if ended.status:
                raise FetchError(f"cannot write to the cache {self.place}: {ended.complaint}", _ROOM)
            with self._explained():
                if before := self.repository():
                    _copy(before, made)
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def keep(self, made: Path) -> Path:
        """Make a repository the newest.

        Raises:
            FetchError: it cannot be written.
        """
        before = sorted(self.place.glob("*.git"))
        kept = self.place / f"{int(before[-1].stem) + 1 if before else 1:08}.git"
        with self._explained():
            made.rename(kept)
        for old in before[: 1 - _KEPT]:
            shutil.rmtree(old, ignore_errors=True)
        cache_folder.mark_used(self.place)
        cache_folder.shrink()
        return kept

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise FetchError(f"cannot write to the cache {self.place}: {error.strerror}", _ROOM) from error


def _copy(before: Path, made: Path) -> None:
    """Copy references and the cuts in history, and link packs, which git never changes."""
    # Git makes no links there: what they lead to would be copied, to its end.
    shutil.copytree(before / "refs", made / "refs", symlinks=True, dirs_exist_ok=True)
    for name in ("packed-refs", "shallow"):
        if os.path.lexists(before / name):
            with open_regular(before / name, follow=False) as file:
                (made / name).write_bytes(file.read())
    # The index of a pack says that the pack is complete, and so comes last.
    for pack in sorted((before / "objects" / "pack").iterdir(), key=lambda file: file.suffix == ".idx"):
        _link(pack, made / "objects" / "pack" / pack.name)


def _link(file: Path, to: Path) -> None:
    with suppress(OSError):
        to.hardlink_to(file)
        return
    shutil.copyfile(file, to)
