"""Addresses of git repositories, in the few forms that cannot mean anything else.

What git takes for a URL may also be a program (``ext::sh -c …``), an option (``-u…``), or part of the input of
credential helpers. A manifest that a pull request edits is hostile, so only these forms reach git: ``https://``,
``ssh://`` and its short form ``user@host:path``. ``file://`` reads whatever the user can read, and is allowed only if
the caller says that the manifest is the user's own.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from winnow_ci.errors import FetchError
from winnow_ci.named_tuples import NamedTuple

LONGEST = 2048
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])"
_USER = r"[A-Za-z0-9_](?:[A-Za-z0-9_.+~%-]*)"
_PATH = r'[!-"$->@-\[\]-~]+'
_URL_PATH = rf"(?::[0-9]{{1,5}})?/(?!-){_PATH}"
HTTPS = rf"https://(?:{_USER}@)?{_HOST}{_URL_PATH}"
SSH = rf"ssh://(?:{_USER}@)?{_HOST}{_URL_PATH}|{_USER}@{_HOST}:(?![/-]*-)(?!.*:){_PATH}"
"""Patterns of the URLs that git may be given."""
_FORMS = {"https": re.compile(HTTPS), "ssh": re.compile(SSH), "file": re.compile(rf"file:///{_PATH}")}
_PASSWORD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/@]*:[^/@]*@")
_USER_INFO = re.compile(r"(?<=://)[^/\s]*@")
_OBJECT_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")
# As in git-check-ref-format(1); with an asterisk or a caret a name would be a pattern or an expression.
_REVISION = re.compile(r"(?!-)(?!.*(?:\.\.|@\{|//|/\.|\.lock(?:/|$)))[^\s\x00-\x20\x7f~^:?*\[\\]{1,255}(?<![./])")
_TAKEN = "write https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH"


class GitAddress(NamedTuple):
    """A URL that git may be given, and its protocol."""

    url: str
    protocol: str

    def __str__(self) -> str:
        """The URL for messages, without user names, which may be tokens."""
        return shown(self.url)


def address(url: str, *, local: bool = False) -> GitAddress:
    """Check a URL.

    Args:
        url: of a git repository.
        local: whether ``file://`` may be used.

    Raises:
        FetchError: it has another form.
    """
    plain = unquote(url)
    if len(url) > LONGEST or not (url.isascii() and plain.isprintable()) or " " in url or "\\" in plain:
        raise FetchError(f"no URL of a git repository: {shown(url[:80])!r}", _TAKEN)
    if _PASSWORD.match(url):
        problem = f"a URL with a password in it: {shown(url)}"
        raise FetchError(problem, "leave it out: git asks the credential helper that you have configured")
    for protocol, form in _FORMS.items():
        if form.fullmatch(url) and (local or protocol != "file"):
            return GitAddress(url, protocol)
    if _FORMS["file"].fullmatch(url):
        problem = f"{shown(url)} is a folder of this machine, and the manifest may be somebody else's"
        raise FetchError(problem, "name its URL, or its path as a source of your own")
    raise FetchError(f"no URL of a git repository: {shown(url)}", _TAKEN)


def object_id(commit: str) -> str:
    """Check the id of an object, which comes from a file that a change may edit.

    Raises:
        FetchError: it is not a full id.
    """
    if _OBJECT_ID.fullmatch(commit) is None:
        raise FetchError(f"no full commit id: {shown(commit[:80])!r}", "write 40 (or 64) lower-case hexadecimal digits")
    return commit


def is_object_id(revision: str) -> bool:
    """Whether a revision is a full id, so that no server need be asked what it stands for."""
    return _OBJECT_ID.fullmatch(revision) is not None


def revision_name(revision: str) -> str:
    """Check the name of a tag or branch.

    Raises:
        FetchError: it cannot be such a name.
    """
    if _REVISION.fullmatch(revision) is None or not revision.isprintable():
        raise FetchError(f"no tag, branch or full commit id: {shown(revision[:80])!r}", "name one of these")
    return revision


def shown(text: str) -> str:
    """Untrusted text for a message: unprintable characters as escapes, URLs without user names and passwords."""
    plain = _USER_INFO.sub("", text)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in plain)
