"""What keeps Spark from starting is said, with what to do. ``tests/cli/test_spark.py`` has a Spark that runs."""

from __future__ import annotations

import importlib.util
import re
import socket
from typing import TYPE_CHECKING

import pytest

from winnow_ci.errors import EngineError
from winnow_ci.indexer.spark import session

if TYPE_CHECKING:
    from pathlib import Path


def test_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match="needs PySpark") as error:
        session.check_installed()
    assert error.value.remedy == "pip install 'winnow-ci[spark]'"


@pytest.mark.parametrize("where", ["PATH", "JAVA_HOME"])
def test_without_java(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv(where, str(tmp_path))
    with pytest.raises(EngineError, match="needs Java") as error:
        session.check_installed()
    assert "JAVA_HOME" in error.value.remedy


@pytest.mark.parametrize("port", ["closed", "none", "99999999"])
def test_a_master_that_is_not_there(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "check_installed", lambda: None)
    with socket.create_server(("127.0.0.1", 0)) as unused:
        closed = str(unused.getsockname()[1])
    master = f"spark://127.0.0.1:{closed if port == 'closed' else port}"
    with pytest.raises(EngineError, match="no Spark master there") as error, session.started(master):
        pass
    assert error.value.problem.startswith(master)


# What Spark 4 says, shortened.
ABORTED = (
    "An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.\n"
    ": org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times\n"
)
OF_PYTHON = 'org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n  File "worker.py"\n'


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (f"{OF_PYTHON}ModuleNotFoundError: No module named 'winnow_ci'\n", "executors lack the module winnow_ci"),
        (
            f"{OF_PYTHON}pyspark.errors.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] …",
            "have a different Python than this",
        ),
        ('java.io.IOException: Cannot run program "/opt/python": error=2', "executors have no /opt/python"),
        (f"{OF_PYTHON}MemoryError\n", "Spark gave up: MemoryError"),
        ("Caused by: java.io.EOFException: first\nCaused by: java.io.EOFException: last", "gave up: java.io.EOF.*last"),
        ("", "gave up: org.apache.spark.SparkException: Job aborted due to stage failure"),
    ],
)
def test_of_a_failed_job_the_cause_is_told(said: str, problem: str) -> None:
    error = session._failure(Exception(ABORTED + said))
    assert re.search(problem, error.problem)
    assert "\n" not in error.problem
