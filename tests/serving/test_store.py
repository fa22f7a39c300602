"""What a scan reads from a server: the same as from the file, in few round trips, in one snapshot."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from json import loads
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.indexes import entry, write_index, write_texts
from winnow_ci import cli
from winnow_ci.index import WholeIndex, places_of, schema
from winnow_ci.model import Source

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout
    from support.served import Published, ServedDatabase
    from winnow_ci.index import NewContent

ROADS = Source("roads", "1", "MIT")
COMMON = Source("common", boilerplate=True)


def crowded(seed: int) -> dict[str, NewContent]:
    """Contents that share a few hashes, some of them more often than an index gives places of."""
    chance = random.Random(seed)
    shared = [chance.randrange(1 << 64) for _ in range(4)]
    files = {}
    for number in range(700):
        hashes = [chance.randrange(1 << 64) for _ in range(5)] + chance.sample(shared, chance.randrange(4))
        checks = [chance.randrange(1 << 32) if one not in shared else chance.randrange(3) for one in hashes]
        files[f"{number}.py"] = entry(hashes, checks)
    return files


def write_crowded(path: Path, seed: int) -> dict[str, NewContent]:
    files = crowded(seed)
    some = dict(list(files.items())[:60])
    write_index(path, {ROADS: files, COMMON: {f"b{name}": boilerplate(file) for name, file in some.items()}})
    return files


def boilerplate(content: NewContent) -> NewContent:
    row = content.row._replace(language=schema.BOILERPLATE + content.row.language, key=content.row.key[::-1])
    return content._replace(row=row)


@pytest.mark.parametrize("seed", range(3))
def test_a_server_gives_what_the_file_gives(database: ServedDatabase, tmp_path: Path, seed: int) -> None:
    files = write_crowded(tmp_path / "a.db", seed)
    root = database.publish(tmp_path / "a.db")
    own = [content.fingerprints for content in files.values()]
    hashes, checks = (np.concatenate([getattr(one, name) for one in own]) for name in ("hashes", "checks"))
    numbers = np.repeat(np.arange(len(own)), [*map(len, own)])
    with WholeIndex(tmp_path / "a.db") as file, database.opened(root) as served:
        # The test is about crowds and boilerplate, too.
        assert (file.crowded, file.boilerplate) == (4, 60)
        keys = [content.row.key for content in files.values()] + [bytes(16)]
        expected, found = (places_of(index, hashes, checks, numbers, keys) for index in (file, served))
        ids = file.content_ids()
        for name in ("queries", "positions", "checks"):
            assert np.array_equal(getattr(found.hits, name), getattr(expected.hits, name)), name
        assert np.array_equal(ids[found.hits.contents + file.boilerplate], expected.hits.contents)
        assert np.array_equal(found.boilerplate, expected.boilerplate)
        assert {key: ids[rank + file.boilerplate] for key, rank in found.known.items()} == expected.known
        assert len(found.known) == 700
        assert found.boilerplate.any()
        assert len(found.hits) > 3000
        rows = served.content_rows(range(-file.boilerplate, len(ids) - file.boilerplate))
        assert [rows[rank] for rank in sorted(rows)] == [row for _, row in sorted(file.all_contents())]
        assert served.sources == file.sources
        assert served.parameters == file.parameters
        assert (served.digest, served.postings, served.contents) == (file.digest, file.postings, file.contents)


def test_no_text_is_published(database: ServedDatabase, tmp_path: Path) -> None:
    secret = b"launch = 'the moment that nobody may know'\n"
    write_texts(tmp_path / "a.db", ROADS, {"a.py": secret})
    root = database.publish(tmp_path / "a.db")
    with WholeIndex(tmp_path / "a.db") as file, database.opened(root) as served:
        assert file.text(int(file.content_ids()[0])) == secret
        assert served.text(0) is None
        assert served.with_text == frozenset()


def test_nothing_of_the_index_can_be_read_on_the_server(published: Published) -> None:
    database = published.database
    stored = b""
    for table in database.tables():
        stored += b"".join(bytes(row) for (row,) in database.rows(f"SELECT row FROM winnow_ci.{table}"))
    stored += b"".join(row for (row,) in database.rows("SELECT description FROM winnow_ci.version"))
    assert len(stored) > 1000
    with WholeIndex(published.file) as index:
        plain = [b"roads", b"routes.py", b"GPL-3.0-only", b"python", b"anchored", b"meta_digest"]
        for _, row in index.all_contents():
            plain += [row.key, row.token_map[:12]]
        postings = np.concatenate(list(index.all_blocks(index.blocks)))
        plain += [one.tobytes() for name in ("hash", "check") for one in postings[name][:200]]
    assert [part for part in plain if part in stored and len(part) > 4] == []


def test_a_scan_needs_few_round_trips(published: Published) -> None:
    with published.database.opened(published.root) as reader:
        store = reader._store
        assert store.round_trips == 1
        assert len(reader.sources) == 2
        bits = reader.blocks.bits
        reader.postings_of(np.array([number << (64 - bits) for number in range(1 << bits)], np.uint64), reader.blocks)
        assert store.round_trips == 2
        reader.content_rows(range(reader.contents))
        reader.content_rows([])
        assert store.round_trips == 3
        # No text was published, so nobody asks for one.
        assert reader.text(0) is None
        assert store.round_trips == 3


def test_a_scan_with_a_file_imports_nothing_of_it(published: Published, checkout: Checkout) -> None:
    program = (
        "import sys; from winnow_ci import cli; cli.main(sys.argv[1:]);"
        "assert not [name for name in sys.modules if name.startswith(('psycopg', 'winnow_ci.serving'))]"
    )
    arguments = ["scan", "--staged", "--index", str(published.file)]
    assert subprocess.run([sys.executable, "-c", program, *arguments], cwd=checkout.root, check=False).returncode == 0


def scanned(*options: str) -> tuple[int, str]:
    output = StringIO()
    with redirect_stdout(output), redirect_stderr(StringIO()):
        status = cli.main(["scan", "--staged", "--format", "json", *options])
    return status, output.getvalue()


def test_a_scan_finds_what_it_finds_with_the_file(published: Published, checkout: Checkout) -> None:
    assert checkout.root
    (status, served), (expected, of_file) = (scanned("--index", str(one)) for one in (published.uri, published.file))
    assert status == expected == 1
    ours, theirs = loads(served), loads(of_file)
    assert ours["findings"] == theirs["findings"]
    assert len(ours["findings"]) == 3
    assert [one["digest"] for one in ours["scan"]["indexes"]] == [one["digest"] for one in theirs["scan"]["indexes"]]
    for secret in (published.database.key.read_text().strip(), "scanning-secret"):
        assert secret not in served
