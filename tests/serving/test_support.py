"""The server that the other tests rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from support.postgresql import HOST

if TYPE_CHECKING:
    from support.postgresql import PostgreSQLServer


def test_it_answers_by_its_socket(server: PostgreSQLServer) -> None:
    with server.database("answering") as name, server.superuser(name) as connection:
        assert connection.execute("SELECT current_database()").fetchone() == (name,)


def test_by_tcp_it_has_a_certificate_and_wants_a_password(server: PostgreSQLServer) -> None:
    with server.superuser() as connection:
        connection.execute("CREATE ROLE visitor LOGIN PASSWORD 'visiting'")
    address = {"host": HOST, "hostaddr": "127.0.0.1", "port": server.port, "user": "visitor", "dbname": "postgres"}
    checked = {"sslmode": "verify-full", "sslrootcert": str(server.authority)}
    with psycopg.connect(**address, **checked, password="visiting") as connection:
        assert connection.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchone() == (True,)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(**address, **checked, password="guessing")


def test_it_comes_back_after_it_was_killed(server: PostgreSQLServer) -> None:
    server.stop()
    with pytest.raises(psycopg.OperationalError):
        server.superuser()
    server.start()
    with server.superuser() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
