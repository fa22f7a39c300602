"""Who is connected to, and with what: certificates, passwords, and what is passed on to libpq."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trustme

from support.command import winnow
from support.postgresql import HOST
from winnow_ci.errors import ExitStatus, IndexFileError
from winnow_ci.serving.database import connect, settings

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout
    from support.served import Published


def elsewhere(published: Published, host: str = HOST) -> str:
    """The database as if it were on another machine: its address comes from PGHOSTADDR."""
    database = published.database
    return f"postgresql://scanner@{host}:{database.server.port}/{database.name}"


@pytest.fixture
def far(published: Published, monkeypatch: pytest.MonkeyPatch) -> Published:
    """The same, reached by a name that is not this machine's, with its authority trusted."""
    monkeypatch.setenv("PGHOSTADDR", "127.0.0.1")
    monkeypatch.setenv("PGSSLROOTCERT", str(published.database.server.authority))
    return published


def test_another_machine_is_asked_by_tls(far: Published) -> None:
    with connect(elsewhere(far), "far") as connection:
        encrypted = connection.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchone()
    assert encrypted == (True,)


def refused(uri: str) -> IndexFileError:
    with pytest.raises(IndexFileError, match="cannot connect") as caught:
        connect(uri, "far")
    assert "scanning-secret" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("mode", ["disable", "allow", "prefer", "require", "verify-ca"])
def test_the_environment_cannot_make_it_less(far: Published, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setenv("PGSSLMODE", mode)
    assert "certificate" in refused(elsewhere(far, "other.winnow.test")).problem


def test_a_certificate_for_another_name_is_refused(far: Published) -> None:
    error = refused(elsewhere(far, "other.winnow.test"))
    assert HOST in error.problem
    assert "PGSSLROOTCERT" in error.remedy


def test_a_certificate_of_a_stranger_is_refused(
    far: Published, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "stranger.pem"))
    monkeypatch.setenv("PGSSLROOTCERT", str(tmp_path / "stranger.pem"))
    assert "certificate verify failed" in refused(elsewhere(far)).problem


def test_without_an_authority_nobody_is_trusted(far: Published, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGSSLROOTCERT")
    assert "root.crt" in refused(elsewhere(far)).problem


def test_a_server_without_tls_is_refused(far: Published) -> None:
    server = far.database.server
    with server.superuser() as connection:
        connection.execute("ALTER SYSTEM SET ssl = off")
        connection.execute("SELECT pg_reload_conf()")
    try:
        for _ in range(50):
            error = refused(elsewhere(far, "other.winnow.test"))
            if "does not support SSL" in error.problem:
                break
        assert "turn on TLS" in error.remedy
    finally:
        with server.superuser() as connection:
            connection.execute("ALTER SYSTEM RESET ssl")
            connection.execute("ALTER SYSTEM SET ssl = on")
            connection.execute("SELECT pg_reload_conf()")


def test_a_password_is_not_given_in_the_clear(far: Published, monkeypatch: pytest.MonkeyPatch) -> None:
    server = far.database.server
    rules = server.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    try:
        rules.write_text(before.replace("127.0.0.1/32 scram-sha-256", "127.0.0.1/32 password"))
        with server.superuser() as connection:
            connection.execute("SELECT pg_reload_conf()")
        error = refused(elsewhere(far))
        assert "cleartext password" in error.problem
        assert "PGREQUIREAUTH" in error.remedy
        with monkeypatch.context() as accepting:
            accepting.setenv("PGREQUIREAUTH", "password")
            connect(elsewhere(far), "far").close()
    finally:
        rules.write_text(before)
        with server.superuser() as connection:
            connection.execute("SELECT pg_reload_conf()")


def test_a_wrong_password_is_not_shown(far: Published, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSFILE")
    monkeypatch.setenv("PGPASSWORD", "a-wrong-guess")
    error = refused(elsewhere(far))
    assert "password authentication failed" in error.problem
    assert "a-wrong-guess" not in str(error)
    monkeypatch.delenv("PGPASSWORD")
    assert "PGPASSFILE" in refused(elsewhere(far)).remedy


def test_a_password_in_the_uri_is_refused(checkout: Checkout, published: Published) -> None:
    uri = published.uri.replace("scanner@", "scanner:hunter2@")
    done = winnow("scan", "--staged", "--index", uri, cwd=checkout.root, **published.database.settings())
    problem, remedy = done.complaint(ExitStatus.USAGE)
    assert "a password in the URI" in problem
    assert "PGPASSFILE" in remedy
    assert "hunter2" not in done.errors


@pytest.mark.parametrize(
    ("host", "address", "is_checked"),
    [
        ("localhost", None, False),
        ("127.0.0.1", None, False),
        ("127.8.8.8", None, False),
        ("[::1]", None, False),
        ("%2Fvar%2Frun%2Fpostgresql", None, False),
        ("", None, False),
        ("db.example.org", None, True),
        ("db.example.org", "127.0.0.1", True),
        ("localhost", "192.0.2.7", True),
        ("192.0.2.7", None, True),
        ("localhost,db.example.org", None, True),
        ("localhost.example.org", None, True),
        ("127.0.0.1.example.org", None, True),
    ],
)
def test_which_servers_need_a_certificate(
    monkeypatch: pytest.MonkeyPatch, host: str, address: str | None, is_checked: bool
) -> None:
    if address:
        monkeypatch.setenv("PGHOSTADDR", address)
    assert (settings(f"postgresql://{host}/db").get("sslmode") == "verify-full") is is_checked


def test_the_users_own_settings_say_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PGHOST", "db.example.org")
    assert settings("postgresql:///db")["sslmode"] == "verify-full"
    monkeypatch.delenv("PGHOST")
    (tmp_path / "services").write_text("[org]\nhost=db.example.org\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    monkeypatch.setenv("PGSERVICE", "org")
    assert settings("postgresql:///db")["sslmode"] == "verify-full"


def test_how_long_a_connection_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings("postgresql:///db")["connect_timeout"] == 10
    assert "connect_timeout" not in settings("postgresql:///db?connect_timeout=3")
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "7")
    assert "connect_timeout" not in settings("postgresql:///db")
