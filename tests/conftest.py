"""Fixtures that every test gets: an environment without the user's or the CI's settings."""

from __future__ import annotations

import compileall
import os
import signal
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest
from hypothesis import Phase, settings

import winnow_ci
from support import windows

# The same examples everywhere, and no clock: the machine may have other things to do.
settings.load_profile("ci")
# For tools/mutants, which asks whether a test fails and not why.
settings.register_profile("mutants", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])

SCRUBBED = (
    "GIT_",
    "GITHUB_",
    "GITLAB_",
    "CI",
    "NO_COLOR",
    "FORCE_COLOR",
    "PG",
    "PRE_COMMIT",
    "WINNOW_",
    "SPARK_",
    "PYSPARK_",
)


def pytest_configure(config: pytest.Config) -> None:
    """Compile the package once, as an installation does, instead of in each of the thousands of commands.

    What a shell starts in the background ignores ^C, and so would the commands that tests interrupt.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    windows.start_processes_again()
    if not hasattr(config, "workerinput"):
        package = Path(winnow_ci.__file__).parent
        # By content: a source may be changed twice in the second that a time stamp tells.
        compileall.compile_dir(package, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return windows.left_out(collection_path, Path(__file__).parent) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    windows.mark(items)


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in os.environ:
        if name.startswith(SCRUBBED):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))  # the same on Windows
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
