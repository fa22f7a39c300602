"""Run the sessions; ``support/sessions.py`` explains how they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import windows
from support.donor import write_known
from support.sessions import Session, Terminal, all_sessions, parsed

if TYPE_CHECKING:
    from pathlib import Path

SESSIONS = all_sessions()


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with known code, not to be changed."""
    return write_known(tmp_path_factory.mktemp("source") / "source")


@pytest.mark.parametrize("session", SESSIONS, ids=[session.name for session in SESSIONS])
def test_a_session(session: Session, request: pytest.FixtureRequest, known: Path, source: Path) -> None:
    if reason := windows.reason_against(session.said("windows")):
        pytest.skip(f"on Windows: {reason}")
    start = session.said("start") or "empty"
    begun = request.getfixturevalue(start)
    folder = begun if start == "empty" else begun.root
    Terminal(folder, {"KNOWN": known.as_posix(), "SOURCE": source.as_posix()}).work(session)


@pytest.mark.parametrize(
    "wrong",
    [
        "status: 1",
        "out: 0.0.0",
        "no out: winnow-ci",
        "output: nothing",
        "err: a",
        "errors: a",
        "error 2: a",
        "prints: a",
        "out: winnow-ci\nout: winnow-ci",
    ],
)
def test_a_session_that_expects_what_does_not_happen_fails(wrong: str, empty: Path) -> None:
    (right,) = parsed("=== Good\n$ winnow-ci --version\nout: winnow-ci\nno out: 0.0.0\nerrors: nothing", "a")
    Terminal(empty, {}).work(right)
    (session,) = parsed(f"=== Bad\n$ winnow-ci --version\n{wrong}\n", "a")
    with pytest.raises(AssertionError, match="a:"):
        Terminal(empty, {}).work(session)
