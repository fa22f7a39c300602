"""Follow a channel: a small signed file at a URL, which says where the newest version of an index is.

The file has one line, ``winnow-ci channel 1``, one line of JSON (``ChannelState``), and the signature of both by
``ssh-keygen -Y sign`` in the namespace ``winnow-ci-channel``. A configuration names the URL and the keys of the
signers; whoever has such a key chooses the index. Mirrors need no trust, since the file has the sha256 of the index.

The file that was accepted last stays in the user's cache. It is asked for again after a day, so that most scans need no
network, and if the network fails, what the cache has serves on. A file that is older than the accepted one is refused:
somebody replays it. A machine without a cache, as many CIs have, cannot notice that.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from winnow_ci import processes
from winnow_ci.errors import FetchError
from winnow_ci.fetching.cache import LARGEST_FETCHED, cache_folder, cached_file, incoming_file
from winnow_ci.fetching.file_parts import noted
from winnow_ci.fetching.urls import has_credentials, is_https
from winnow_ci.model import Progress
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import ProcessLimitError, ProcessLimits
from winnow_ci.regular_file import open_regular

_HEAD = b"winnow-ci channel 1\n"
_NAMESPACE = "winnow-ci-channel"
_LARGEST = 1 << 16
_MOST_MIRRORS = 16
# Seconds until the file is asked for again.
_FRESH = 24 * 3600.0
_DATE = "%Y-%m-%dT%H:%M:%SZ"
_ASK = "ask whoever runs the channel"


class ChannelState(NamedTuple):
    """What a channel says."""

    name: str
    date: str  # when it was signed: UTC, ``YYYY-MM-DDTHH:MM:SSZ``
    root: str  # of the index
    sha256: str  # of its file
    size: int  # of its file, in bytes
    mirrors: tuple[str, ...]  # https URLs of the file, to be tried in this order


def follow(
    url: str, signers: Sequence[str], progress: Progress | None = None, *, remember: bool
) -> tuple[Path, Sequence[str], str]:
    """Return the file of a channel's index in the cache, its mirrors, and what to tell people (nothing if empty).

    ``remember`` is that of ``cached_file``.

    Raises:
        FetchError: the channel cannot be reached, is not signed by one of these keys, is old, or its index is nowhere.
    """
    place = cache_folder() / "channels" / hashlib.sha256(url.encode()).hexdigest()
    accepted, age = _accepted(place, url, signers)
    kept = cached_file(accepted.sha256, remember=remember) if accepted else None
    # A file from the future would never be asked for again.
    if accepted and kept and 0 <= age < _FRESH:
        return kept, accepted.mirrors, ""
    try:
        content = _asked(url)
        state = _verified(content, url, signers)
        if accepted and (state.date, state.root) != (accepted.date, accepted.root) and state.date <= accepted.date:
            problem = f"{url}: the channel is dated {state.date}, but one dated {accepted.date} was seen before"
            raise FetchError(problem, f"somebody may be serving an old file: {_ASK}")
        found = cached_file(state.sha256, remember=remember) or _from_mirrors(url, state, progress)
    except _UnreachableError as error:
        if kept is None or accepted is None:
            raise
        return kept, accepted.mirrors, f"{error.problem}; using the index of {accepted.date} from the cache"
    # Not before its index is here: until then the one before serves on.
    with incoming_file() as file:
        file.write(content)
        file.keep(place)
    return found, state.mirrors, ""


class _UnreachableError(FetchError):
    """Nothing is wrong with what came, but nothing came."""


def _accepted(place: Path, url: str, signers: Sequence[str]) -> tuple[ChannelState | None, float]:
    """What was accepted last, if it is there and signed, and how many seconds ago."""
    with suppress(OSError, FetchError), open_regular(place, follow=False) as file:
        content = file.read(_LARGEST)
        return _verified(content, url, signers), time.time() - place.lstat().st_mtime
    return None, 0.0


def _asked(url: str) -> bytes:
    from winnow_ci.fetching.download import DownloadLimits, web_page  # noqa: PLC0415 - 0.1 s, and few scans ask

    try:
        return web_page(url, limits=DownloadLimits(page=_LARGEST, tries=2)).content
    except FetchError as error:
        raise _UnreachableError(f"the channel cannot be reached: {error.problem}", error.remedy) from error


def _from_mirrors(url: str, state: ChannelState, progress: Progress | None) -> Path:
    from winnow_ci.fetching.download import DownloadLimits, download  # noqa: PLC0415 - as above

    problems: list[str] = []
    for mirror in state.mirrors:
        with noted(problems):
            return download(mirror, state.sha256, progress=progress, limits=DownloadLimits(file=state.size, tries=2))
    raise _UnreachableError(f"{url}: no mirror has the index: {'; '.join(problems)}", f"try again, or {_ASK}")


# ---- the file ---------------------------------------------------------------------------------------------------


def _verified(content: bytes, url: str, signers: Sequence[str]) -> ChannelState:
    """Return what a channel's file says, if one of the signers has signed it."""
    signed, mark, rest = content.partition(SIGNATURE)
    if not (signed.startswith(_HEAD) and mark):
        raise FetchError(f"{url}: not a channel of winnow-ci", f"check the URL, or {_ASK}")
    if not is_signed(signed, mark + rest, signers, _NAMESPACE):
        problem = f"{url}: none of the signers that the configuration names has signed the channel"
        raise FetchError(problem, f"{_ASK} for its new key; do not add a key that came with the channel")
    try:
        return _state(json.loads(signed[len(_HEAD) :]))
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise FetchError(f"{url}: the channel has impossible values", _ASK) from error


def _state(said: Any) -> ChannelState:
    """What the JSON of a channel says; may raise ``KeyError``, ``TypeError`` or ``ValueError``."""
    state = ChannelState(**said | {"mirrors": tuple(said["mirrors"])}) if isinstance(said, dict) else None
    if state is None or tuple(map(type, state)) != (str, str, str, str, int, tuple):
        raise TypeError
    # Dates are compared as text.
    is_date = datetime.strptime(state.date, _DATE).replace(tzinfo=timezone.utc).strftime(_DATE) == state.date
    are_digits = re.fullmatch("[0-9a-f]{32}", state.root) and re.fullmatch("[0-9a-f]{64}", state.sha256)
    are_urls = all(isinstance(url, str) and is_https(url) and not has_credentials(url) for url in state.mirrors)
    is_possible = 0 < len(state.mirrors) <= _MOST_MIRRORS and 0 < state.size <= LARGEST_FETCHED
    if not (is_date and are_digits and are_urls and is_possible):
        raise ValueError
    return state


def signed_channel(state: ChannelState, key: Path) -> bytes:
    """Return the file of a channel, signed now by a key of SSH, whatever its date.

    Raises:
        FetchError: ssh-keygen is missing, or cannot sign with this key.
    """
    now = datetime.now(timezone.utc).strftime(_DATE)
    signed = _HEAD + json.dumps(state._replace(date=now)._asdict()).encode() + b"\n"
    status, output = _ssh_keygen(["-Y", "sign", "-f", str(key.absolute()), "-n", _NAMESPACE], signed)
    if status != 0:
        said = output.decode(errors="replace").strip().splitlines()
        problem = f"ssh-keygen cannot sign with {key}: {said[-1] if said else status}"
        raise FetchError(problem, "name a key of yours, or make one: ssh-keygen -t ed25519 -f FILE")
    return signed + output


# ---- signatures --------------------------------------------------------------------------------------------------

SIGNATURE = b"-----BEGIN SSH SIGNATURE-----"
"""How a signature begins."""
_SIGNER = "signer"


def is_signed(content: bytes, signature: bytes, signers: Sequence[str], namespace: str) -> bool:
    """Whether one of the signers, by public key, has signed a content for the purpose that the namespace names."""
    with tempfile.TemporaryDirectory(prefix="winnow-ci-") as folder:
        allowed, written = Path(folder, "allowed"), Path(folder, "signature")
        allowed.write_text("".join(f'{_SIGNER} namespaces="{namespace}" {key}\n' for key in signers))
        written.write_bytes(signature)
        of_signer = "-f", str(allowed), "-I", _SIGNER, "-n", namespace, "-s", str(written)
        status, _ = _ssh_keygen(["-Y", "verify", *of_signer], content)
    return status == 0


def _ssh_keygen(arguments: Sequence[str], given: bytes) -> tuple[int, bytes]:
    """Return the status of ssh-keygen, and what it prints or complains of; it may ask for a passphrase."""
    try:
        with processes.start(["ssh-keygen", *arguments], Path(), given=given, leads=False) as process:
            done = process.collect(ProcessLimits(seconds=60.0, output=_LARGEST))
    except (OSError, ProcessLimitError) as error:
        problem = f"ssh-keygen cannot be started, or does not end: {error}"
        raise FetchError(problem, "install OpenSSH: signatures need it") from error
    return done.status, done.output if done.status == 0 else done.errors
