"""What names an index: paths and URIs that are accepted, and URIs that are refused without a word of what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from winnow_ci.config.index_reference import PinnedFile, ServedIndex, parse_index_reference
from winnow_ci.errors import UsageError

SHA256, ROOT = "ab" * 32, "cd" * 16
SECRET = "swordfish"
FILES = Path(__file__).parent / "files"
REFUSED = (FILES / "refused-indexes.txt").read_text(encoding="utf-8").splitlines()


def refused(text: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse_index_reference(text)
    return caught.value


@pytest.mark.parametrize(
    "text", ["known.db", ".winnow", "/srv/known.db", "C#/a.db", "a:b.db", "postgresql:x", "a//b.db"]
)
def test_whatever_is_no_uri_is_a_path(text: str) -> None:
    assert parse_index_reference(text) == Path(text)


@pytest.mark.parametrize("url", ["https://example.org/known.db", "https://example.org:8443/a%20b/known.db?a=1&b=2"])
def test_a_url_with_its_sha256(url: str) -> None:
    found = parse_index_reference(f"{url}#sha256={SHA256.upper()}")
    assert found == PinnedFile(url, SHA256)
    assert str(found) == f"{url}#sha256={SHA256}"


@pytest.mark.parametrize(
    ("text", "found", "shown"),
    [
        (
            "ann@db.example.org:5433/known#acme@ROOT",
            ("ann@db.example.org:5433/known", "acme"),
            "db.example.org:5433/known#acme",
        ),
        ("db/known#acme-2.x@ROOT", ("db/known", "acme-2.x"), "db/known#acme-2.x"),
        ("/known#default@ROOT", ("/known", "default"), "/known#default"),
        ("ann%40acme@one,two:5433/known#a@ROOT", ("ann%40acme@one,two:5433/known", "a"), "one,two:5433/known#a"),
        ("[::1]:5432/known#a@ROOT", ("[::1]:5432/known", "a"), "[::1]:5432/known#a"),
        ("%2Frun%2Fpostgresql/known#a@ROOT", ("%2Frun%2Fpostgresql/known", "a"), "%2Frun%2Fpostgresql/known#a"),
        (
            "u@db/known?connect_timeout=9&sslmode=verify-full&sslnegotiation=direct&sslrootcert=system#a@ROOT",
            ("u@db/known?connect_timeout=9&sslmode=verify-full&sslnegotiation=direct&sslrootcert=system", "a"),
            "db/known#a",
        ),
    ],
)
def test_an_index_on_a_server(text: str, found: tuple[str, str], shown: str) -> None:
    server, name = found
    reference = parse_index_reference(f"postgresql://{text.replace('ROOT', ROOT.upper())}")
    assert isinstance(reference, ServedIndex)
    assert reference == ServedIndex(f"postgresql://{server}", name, ROOT)
    assert reference.shown == f"postgresql://{shown}"
    assert parse_index_reference(str(reference)) == reference


@pytest.mark.parametrize(("fragment", "name"), [("", "default"), ("#acme", "acme")])
def test_a_server_without_a_root_means_what_is_current_where_that_is_asked(fragment: str, name: str) -> None:
    text = f"postgresql://ann@db/known{fragment}"
    found = parse_index_reference(text, may_be_current=True)
    assert found == ServedIndex("postgresql://ann@db/known", name, None)
    assert parse_index_reference(str(found), may_be_current=True) == found
    error = refused(text)
    assert error.exit_status == 2
    assert error.problem == "postgresql://ann@db/known: an index on a server needs its root"
    assert error.remedy == f"winnow-ci index list 'postgresql://ann@db/known#{name}' prints it: add #{name}@ROOT"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "without a name"),
        (f"https://example.org/a\nb#sha256={SHA256}", "a space or a control character"),
        (f"postgresql://db/known#a@{ROOT}\n", "a space or a control character"),
        *zip(REFUSED[::2], map(str.strip, REFUSED[1::2]), strict=True),
    ],
)
def test_what_is_refused(text: str, problem: str) -> None:
    error = refused(text)
    assert error.exit_status == 2
    assert problem in error.problem
    assert error.remedy


@pytest.mark.parametrize(
    "name",
    [
        *("password", "passfile", "host", "hostaddr", "user", "service", "options", "sslkey", "sslcert", "sslpassword"),
        *("requiressl", "gsslib", "krbsrvname", "load_balance_hosts", "PassWord", "%70assword", "ssl+mode", ""),
    ],
)
def test_parameters_that_could_do_harm_are_unknown(name: str) -> None:
    error = refused(f"postgresql://db/known?connect_timeout=5&{name}={SECRET}#a@{ROOT}")
    assert "is not a parameter of index URIs" in error.problem
    assert SECRET not in str(error)


@pytest.mark.parametrize("text", (FILES / "secrets.txt").read_text(encoding="utf-8").splitlines())
def test_no_message_repeats_a_password(text: str) -> None:
    assert SECRET in text
    assert SECRET not in str(refused(text))
