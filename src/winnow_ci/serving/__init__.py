"""An index on an organisation's PostgreSQL server: its key, its layout, publishing it, and reading it.

Nothing here is imported by a scan that names files only: a commit hook pays for every import. What asks a server needs
psycopg, which the extra ``postgresql`` brings.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from winnow_ci.errors import IndexFileError
from winnow_ci.serving.index_key import read_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from winnow_ci.index import IndexReader


def opener(server: str, name: str, root: str, called: str, environment: Mapping[str, str]) -> Callable[[], IndexReader]:
    """What opens an index on a server for reading: it has nothing left to do but to ask the server.

    Args:
        server: URI of the database, without a password.
        name: of the index on the server.
        root: its digest, in lower-case hexadecimal digits.
        called: what messages call it.
        environment: names the file of the key.

    Raises:
        IndexKeyError: there is no key.
        IndexFileError: there is no psycopg; also from what is returned: the index cannot be read, or is not what it
            should be.
    """
    check_client(called)
    from winnow_ci.serving.reading import open_version  # noqa: PLC0415 - there may be no psycopg

    return partial(open_version, server, name, root, called, read_key(environment))


def newest_root(server: str, name: str, called: str, environment: Mapping[str, str]) -> str:
    """The root of what a server calls the newest version of an index, among those that our key opens.

    A server may call an old one the newest, so this is for people who look, and never for a scan.

    Raises:
        IndexKeyError: there is no key.
        IndexFileError: the server cannot be asked, or has no such index.
    """
    check_client(called)
    from winnow_ci.serving.reading import newest_version  # noqa: PLC0415 - there may be no psycopg

    return newest_version(server, name, called, environment).root


def check_client(called: str) -> None:
    """Refuse to ask a server without psycopg.

    Raises:
        IndexFileError: it is not installed.
    """
    if find_spec("psycopg") is None:
        problem = f"{called}: an index on a server needs psycopg, which is not installed"
        raise IndexFileError(problem, "install it with the extra: pip install winnow-ci[postgresql]")
