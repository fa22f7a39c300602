"""Serve an index from an organisation's PostgreSQL server: its key, its layout, publishing it, and reading it.

A scan that names only files imports none of this: a commit hook pays for every import. Asking a server needs psycopg,
which the extra ``postgresql`` installs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec

from winnow_ci.errors import IndexFileError
from winnow_ci.index import IndexReader
from winnow_ci.serving.sealing import read_key


def server_opener(
    server: str, name: str, root: str, called: str, environment: Mapping[str, str]
) -> Callable[[], IndexReader]:
    """Return a function that opens an index on a server; all it has left to do is ask the server.

    ``server`` is the URI of the database, without a password, ``name`` and ``root`` (in lower-case hexadecimal) are
    those of the index, ``called`` is what messages call it, and the environment names the file of the key. Raises
    ``IndexKeyError`` if there is no key, ``IndexFileError`` if psycopg is missing; the returned function the latter, if
    it cannot read the index, or that is damaged.
    """
    check_client(called)
    from winnow_ci.serving.store import PostgresqlStore  # noqa: PLC0415 - psycopg may be missing

    key = read_key(environment)
    return lambda: IndexReader(PostgresqlStore(server, name, root, key, called))


def newest_root(server: str, name: str, called: str, environment: Mapping[str, str]) -> str:
    """Return the root of what a server calls the newest version of an index, among those that our key opens.

    A server may call an old one the newest, so this is for people who look, and never for a scan. It raises what
    ``server_opener`` does.
    """
    check_client(called)
    from winnow_ci.serving.database import newest_version  # noqa: PLC0415 - psycopg may be missing

    return newest_version(server, name, called, read_key(environment).name).root


def check_client(called: str) -> None:
    """Refuse to ask a server without psycopg, by an ``IndexFileError``."""
    if find_spec("psycopg") is None:
        problem = f"{called}: an index on a server needs psycopg, which is not installed"
        raise IndexFileError(problem, "install it with the extra: pip install winnow-ci[postgresql]")
