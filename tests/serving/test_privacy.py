"""What a server learns of a scan: its log of queries, and what the chaining attack makes of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.chaining import chained, finalised, unfinalised
from support.donor import KNOWN
from winnow_ci import cli
from winnow_ci.errors import ExitStatus
from winnow_ci.index import schema
from winnow_ci.languages import tokenize
from winnow_ci.winnowing.schemes import kgram_hashes

if TYPE_CHECKING:
    from support.repository import Checkout
    from support.served import Published

GOLDEN = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))


@pytest.fixture
def logged(published: Published, checkout: Checkout) -> str:
    """The server's log of all queries of one scan."""
    database = published.database
    assert checkout.root
    database.rows(f"ALTER DATABASE {database.name} SET log_statement = 'all'")
    database.rows("ALTER ROLE scanner SET log_parameter_max_length = -1")
    before = len(database.server.log)
    assert cli.main(["scan", "--staged", "--index", published.uri]) == ExitStatus.FINDINGS
    database.rows(f"ALTER DATABASE {database.name} RESET log_statement")
    log = database.server.log[before:]
    # Only what the scanner's own connections said.
    return "\n".join(line for line in log.split("\n") if "ALTER " not in line)


def test_a_server_is_asked_for_numbers_and_nothing_else(published: Published, logged: str) -> None:
    suffix = published.database.version(published.root).suffix
    # A statement, and the values of its parameters on a line below.
    asked = re.findall(r"execute \S+: (.*)\n(?:.*DETAIL:  parameters: (.*))?", logged)
    statements = {statement for statement, _ in asked}
    rows = f'SELECT id, row, seal FROM "winnow_ci"."{{}}_{suffix}"'
    some = rows + " WHERE id = ANY ($1::int8[])"
    tables = ", ".join(f'"winnow_ci"."{kind}_{suffix}"' for kind in ("block", "content", "source"))
    assert statements - {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "COMMIT", "ROLLBACK"} == {
        "SELECT set_config('jit', 'off', true), set_config('statement_timeout', $1, true)",
        "SELECT layout, salt, description, seal FROM winnow_ci.version WHERE name = $1 AND root = $2 AND key = $3",
        f"LOCK TABLE {tables} IN ACCESS SHARE MODE",
        rows.format("source"),
        some.format("block"),
        some.format("content"),
    }
    values = [parameters for statement, parameters in asked if "ANY" in statement]
    assert len(values) >= 2
    assert all(re.fullmatch(r"\$1 = '\{[0-9,-]+\}'", one) for one in values)
    with published.database.opened(published.root) as reader:
        most = max(reader.blocks.how_many + reader.crowd_blocks.how_many, reader.contents)
    assert all(int(number) < most for one in values for number in re.findall(r"-?\d+", one.partition("=")[2]))


def structural() -> tuple[np.ndarray, np.ndarray, int]:
    """All k-grams of a text, and the ids that its tokens have."""
    (text, *_) = KNOWN.values()
    tokens = tokenize("python", text.encode())
    ids = np.asarray(tokens.structural)
    return kgram_hashes(ids, 16), np.unique(ids), 16


def test_the_finaliser_is_inverted() -> None:
    words = np.random.default_rng(1).integers(0, 1 << 63, 1000, dtype=np.uint64)
    assert np.array_equal(unfinalised(finalised(words)), words)


def test_public_hashes_can_be_chained_and_what_a_server_sees_cannot(published: Published) -> None:
    hashes, alphabet, k = structural()
    chance = np.random.default_rng(7)
    shuffled = chance.permutation(np.unique(hashes))
    assert chained(shuffled, alphabet, k) > 0.95 * len(shuffled)
    with published.database.opened(published.root) as reader:
        keyed = reader.stored(schema.spread(shuffled), reader.blocks)
        bits = reader.blocks.bits
        numbers = schema.block_numbers(keyed, bits).astype(np.uint64)
    # Neither the keyed hashes themselves, nor the numbers of blocks, which is all that is sent, as far as they go.
    for seen in (keyed, keyed * GOLDEN, numbers << np.uint64(64 - bits), numbers):
        assert chained(seen, alphabet, k) == 0
