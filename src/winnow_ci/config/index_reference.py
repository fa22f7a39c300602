"""Read the name of an index: a path, or a URI that pins its content.

    PATH                                                        a file, or a folder of them
    https://HOST/PATH#sha256=DIGITS                             a file, and the sha256 that it must have
    https://HOST/FOLDER/#ROOT                                   a folder of blocks: ROOT is the sha256 of ROOT.head
    postgresql://[USER@]HOST[:PORT]/DATABASE[?PARAMETERS][#NAME[@ROOT]]
                                                                one of the indexes on a server, and its root

Hosts may be several, separated by commas, as libpq reads them; without one, libpq's own settings say where to look.
A configuration may be anybody's, so a URI has no credentials, and only those parameters of libpq that name no file, no
program and no user, and that do not make the connection less safe. No message repeats a URI that was not understood:
it may hold a password.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TypeAlias

from winnow_ci.errors import UsageError
from winnow_ci.index import HEAD
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

DEFAULT_NAME = "default"
"""The index on a server that a URI without a name means."""

_PORT = r"(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
HTTPS_URL = rf"https://(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::{_PORT})?(?:[/?][^\u0000-\u0020\u007f-\u00a0#]*)?"
"""A pattern of ``https`` URLs without credentials and fragment."""
URL_FRAGMENT = r"(?:#[^\u0000-\u0020\u007f-\u00a0]*)?"

_SCHEME = compiled_on_use(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PRINTABLE = compiled_on_use(r"[^\s\x00-\x20\x7f-\x9f]+")
_SHA256 = "[0-9A-Fa-f]{64}"
_WORD = r"(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+"
_ADDRESS = rf"(?:{_WORD}|\[[0-9A-Fa-f:.]+\])(?::[0-9]{{1,5}})?"
_DATABASE = rf"(?:{_ADDRESS}(?:,{_ADDRESS})*)?/{_WORD}"
_SERVER = compiled_on_use(rf"postgresql://(?:{_WORD}@)?(?P<at>{_DATABASE})(?:\?(?P<parameters>.*))?")
_NAME = compiled_on_use(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{0,62})(?:@(?P<root>[0-9A-Fa-f]{32,64}))?")

# The parameters of libpq that a URI may have: a pattern of their values, and what these are in words.
_PARAMETERS = {
    "application_name": (r"[A-Za-z0-9._-]{1,63}", "letters and digits"),
    "connect_timeout": (r"[1-9][0-9]{0,2}", "seconds, from 1 to 999"),
    "sslmode": (r"verify-full", "verify-full"),
    "sslnegotiation": (r"direct", "direct"),
    "sslrootcert": (r"system", "system"),
    "target_session_attrs": (r"any|read-only|read-write|primary|standby|prefer-standby", "as libpq has them"),
}

_FORM = "write postgresql://USER@HOST:PORT/DATABASE#NAME@ROOT"
_PINNED = "run sha256sum on a copy that you trust: write https://HOST/FILE#sha256=DIGITS"
_CREDENTIALS = "put it into a file that PGPASSFILE names, and change the password, since it was visible here"


class PinnedFile(NamedTuple):
    """A file at an ``https`` URL, and the sha256 that it must have (64 lower-case hexadecimal digits)."""

    url: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.url}#sha256={self.sha256}"


class ServedIndex(NamedTuple):
    """An index on a server: the URI of its database without a password, its name there, and its root."""

    server: str
    name: str = DEFAULT_NAME
    root: str | None = None  # lower-case hexadecimal digits; None for whichever index is current there

    def __str__(self) -> str:
        return f"{self.server}#{self.name}" + (f"@{self.root}" if self.root else "")

    def pinned(self, root: str) -> ServedIndex:
        """Return the name for configurations: with a root, and without a user, since whoever scans is another one."""
        return self._replace(server=re.sub(r"(?<=^postgresql://)[^/@]*@", "", self.server), root=root)

    @property
    def shown(self) -> str:
        """Return what reports call it: without a user, parameters and root."""
        found = _SERVER.fullmatch(self.server)
        return f"postgresql://{found['at'] if found else ''}#{self.name}"


class FollowedChannel(NamedTuple):
    """The URL of a channel, and the public keys of those who may sign it, as OpenSSH writes them, without comments."""

    channel: str
    signers: tuple[str, ...]


IndexReference: TypeAlias = Path | PinnedFile | ServedIndex | FollowedChannel


def is_uri(text: str) -> bool:
    """Return whether a text is meant as a URI, and not as a path."""
    return _SCHEME.match(text) is not None


def parse_index_reference(text: str, *, may_be_current: bool = False) -> IndexReference:
    """Return the index that a text names, or raise ``UsageError`` for a URI that is not allowed or says too little.

    With ``may_be_current``, a URI of a server may lack the root, and mean the index that is current there.
    """
    if not text:
        raise UsageError("an index without a name", "name an index file or a folder of them")
    if not is_uri(text):
        return Path(text)
    if not _PRINTABLE.fullmatch(text):
        raise UsageError("a URI with a space or a control character", "write it as %20, or remove it")
    return _served(text, may_be_current=may_be_current) if text.startswith("postgresql://") else _pinned(text)


def check_https(url: str, expected: str, remedy: str) -> None:
    """Raise ``UsageError`` for what is not an ``https`` URL, or has credentials, which no message repeats.

    ``expected`` is said of what is not, such as "is not an https URL", and ``remedy`` what to do then.
    """
    from winnow_ci.fetching.urls import has_credentials, is_https, shown_url  # noqa: PLC0415 - few need it

    if not is_https(url):
        raise UsageError(f"{shown_url(url):.200} {expected}", remedy)
    if has_credentials(url):
        advice = "put them into ~/.netrc, and change them, since they were visible here"
        raise UsageError(f"credentials in {shown_url(url):.200}", advice)
    if not re.fullmatch(HTTPS_URL + URL_FRAGMENT, url, re.IGNORECASE):
        advice = "write host names in ASCII (xn--…), and escape other characters, such as %20"
        raise UsageError(f"{shown_url(url):.200} has a character that URLs cannot have", advice)


def _pinned(text: str) -> PinnedFile:
    from winnow_ci.fetching.urls import shown_url  # noqa: PLC0415 - as above

    url, _, fragment = text.partition("#")
    other = "name one of these, or fetch the index yourself and name the file"
    check_https(url, "is not an https or postgresql URL", other)
    pin = re.fullmatch(f"sha256=({_SHA256})", fragment)
    if url.endswith("/") and re.fullmatch(_SHA256, fragment):
        root = fragment.lower()
        return PinnedFile(f"{url}{root}{HEAD}", root)
    if pin is None:
        lacking = "its sha256 must be 64 hexadecimal digits" if fragment else "an index at a URL needs its sha256"
        raise UsageError(f"{shown_url(url):.200}: {lacking}", _PINNED)
    return PinnedFile(url, pin[1].lower())


def _served(text: str, *, may_be_current: bool) -> ServedIndex:
    server, has_name, fragment = text.partition("#")
    user, at, _ = server.removeprefix("postgresql://").rpartition("@")
    if at and ":" in user:
        raise UsageError("a password in the URI of an index", _CREDENTIALS)
    found = _SERVER.fullmatch(server)
    if found is None:
        raise UsageError("not a valid URI of an index on a server", _FORM)
    _check_parameters(found["parameters"])
    pin = _NAME.fullmatch(fragment or DEFAULT_NAME)
    if pin is None or (has_name and not fragment):
        raise UsageError(f"{server}: the part after # is not NAME@ROOT", "write #NAME@ROOT, as index publish prints it")
    name, root = pin["name"], pin["root"]
    if root is None and not may_be_current:
        asked = f"winnow-ci index list {shlex.quote(f'{server}#{name}')}"
        raise UsageError(f"{server}: an index on a server needs its root", f"{asked} prints it: add #{name}@ROOT")
    return ServedIndex(server, name, root.lower() if root else None)


def _check_parameters(written: str | None) -> None:
    seen: set[str] = set()
    for each in written.split("&") if written is not None else ():
        name, _, value = each.partition("=")
        if name not in _PARAMETERS:
            shown = f"{name!r:.40}" if name.isidentifier() else "something"
            problem = f"{shown} is not a parameter of index URIs"
            raise UsageError(problem, f"use {', '.join(_PARAMETERS)}; set others in libpq's own settings")
        pattern, described = _PARAMETERS[name]
        if name in seen or not re.fullmatch(pattern, value):
            raise UsageError(f"{name} in the URI of an index is not valid", f"write it once: {described}")
        seen.add(name)
