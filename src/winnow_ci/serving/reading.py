"""Opening an index on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.errors import IndexFileError
from winnow_ci.index import IndexReader
from winnow_ci.serving.connection import connect
from winnow_ci.serving.database import Version, versions
from winnow_ci.serving.form import SealedForm
from winnow_ci.serving.index_key import read_key
from winnow_ci.serving.store import PostgresqlStore

if TYPE_CHECKING:
    from collections.abc import Mapping

    from winnow_ci.serving.index_key import IndexKey


def open_version(server: str, name: str, root: str, called: str, key: IndexKey) -> IndexReader:
    """Open a version of an index that was published under a key; see ``serving.opener``."""
    store = PostgresqlStore(server, name, root, key, called)
    # The description has been compared with its seal, so whoever has the key wrote it.
    meta = dict(store.meta())
    return IndexReader(store, SealedForm(store.keys, int(meta["bits"]), int(meta["crowd_bits"])))


def newest_version(server: str, name: str, called: str, environment: Mapping[str, str]) -> Version:
    """The newest version of an index that was published under our key; see ``serving.newest_root``."""
    key = read_key(environment)
    with connect(server, called) as connection:
        there = versions(connection, name, called)
    ours = [one for one in there if one == Version(name, one.root, key.name)]
    if ours:
        return ours[0]
    if there:
        problem = f"{called} was published under another key than the one that is named here"
        raise IndexFileError(problem, "set WINNOW_CI_INDEX_KEY to the file of the key under which it was published")
    problem = f"{called}: the server has no index of the name {name}"
    raise IndexFileError(problem, "correct the name after # in the URI, or publish it: winnow-ci index publish")
