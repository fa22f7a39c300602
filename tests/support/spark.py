"""A real Spark: a standalone master and its workers, on the loopback.

Root starts them as ``nobody``, so that nothing works only because it may do anything, if there is a Python that
``nobody`` can run. A machine without PySpark or Java skips these tests and says so. With ``REQUIRE_SPARK`` in its
environment, as ``.ci/run`` sets it, it fails.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUIRED = bool(os.environ.get("REQUIRE_SPARK"))
WORKERS = 2
_PATIENCE = 120.0
_URL = re.compile(r"spark://127\.0\.0\.1:\d+")
# What starts quickly; nothing runs long enough to need more.
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_DAEMON = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": _QUICK}
_EXECUTOR = "CoarseGrainedExecutorBackend"
_UNPRIVILEGED = "nobody"
_NEEDED = "import numpy, pyspark, xxhash, winnow_ci.indexer.spark.slices"


def require() -> None:
    """Skip the test where Spark cannot run."""
    lacking = "PySpark (pip install pyspark)" if find_spec("pyspark") is None else ""
    if shutil.which("java") is None:
        lacking = "a Java runtime; on Debian: apt-get install openjdk-17-jre-headless"
    if lacking:
        message = f"nothing was built on Spark, for want of {lacking}"
        pytest.fail(message) if REQUIRED else pytest.skip(message)


class _Owner(NamedTuple):
    """Who runs a cluster: how its processes are started, their variables, and the Python of its executors."""

    started: dict[str, Any]
    environment: dict[str, str]
    python: str


def _owner() -> _Owner:
    """``nobody``, if we are root and there is a Python that ``nobody`` can run; else we ourselves."""
    ours = _Owner({}, {}, sys.executable)
    if os.geteuid():
        return ours
    entry = pwd.getpwnam(_UNPRIVILEGED)
    started = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    added = [path for path in sys.path if path and not Path(path).is_relative_to(sys.base_prefix)]
    environment = {"PYTHONPATH": os.pathsep.join(added), "HOME": "/nonexistent", "USER": _UNPRIVILEGED}
    for python in (sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"):
        with suppress(OSError):
            called = {"env": {**os.environ, **environment}, "cwd": "/", "capture_output": True, **started}
            if subprocess.run([python, "-c", _NEEDED], check=False, **called).returncode == 0:
                return _Owner(started, environment, python)
    return ours


@dataclass(frozen=True)
class Cluster:
    """A running cluster.

    Attributes:
        settings: variables that make it Spark's default.
        workers: numbers of the processes of its workers.
        user: number of the user that runs it.
    """

    settings: dict[str, str]
    workers: tuple[int, ...]
    user: int

    def executors(self) -> list[int]:
        """Numbers of the Java processes of its executors."""
        return [pid for worker in self.workers for pid in _children(worker) if _EXECUTOR in _command(pid)]

    def python_workers(self) -> list[int]:
        """Numbers of the Python processes that run its tasks."""
        daemons = [pid for executor in self.executors() for pid in _children(executor)]
        return [pid for daemon in daemons for pid in _children(daemon)]


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A master with two workers of one core each."""
    require()
    owner = _owner()
    with ExitStack() as stack:
        # That of a test belongs to root alone.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-spark-")))
        if owner.started:
            os.chown(folder, owner.started["user"], owner.started["group"])
        log = folder / "master.log"
        stack.enter_context(_started(["org.apache.spark.deploy.master.Master", "--webui-port", "0"], log, owner))
        url = _said(log, _URL)
        workers = []
        for number in range(WORKERS):
            log, place = folder / f"worker-{number}.log", folder / f"work-{number}"
            offered = ["--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", str(place)]
            command = ["org.apache.spark.deploy.worker.Worker", *offered, url]
            workers.append(stack.enter_context(_started(command, log, owner)))
            _said(log, re.compile("Successfully registered with master"))
        settings = configured(folder, f"spark.master {url}", f"spark.pyspark.python {owner.python}")
        yield Cluster(settings, tuple(workers), Path(f"/proc/{workers[0]}").stat().st_uid)


def configured(folder: Path, *lines: str) -> dict[str, str]:
    """Variables that name a configuration of these lines, in a folder."""
    options = [f"spark.{who}.extraJavaOptions {_QUICK}" for who in ("driver", "executor")]
    (folder / "spark-defaults.conf").write_text("\n".join([*options, *lines]) + "\n")
    return {"SPARK_CONF_DIR": str(folder)}


@contextmanager
def _started(command: list[str], log: Path, owner: _Owner) -> Iterator[int]:
    home = Path(str(find_spec("pyspark").origin)).parent
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", **_DAEMON, **owner.environment}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(home / "bin" / "spark-class"), command[0], "--host", "127.0.0.1", "--port", "0", *command[1:]],
            env=environment,
            cwd=log.parent,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            **owner.started,
        )
    try:
        yield process.pid
    finally:
        for pid in (process.pid, *below(process.pid)):
            kill(pid)
        process.wait()


def kill(process: int) -> None:
    """Kill a process, if it is there."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def below(process: int) -> list[int]:
    """The processes that a process has started, and theirs."""
    return [one for child in _children(process) for one in (child, *below(child))]


def _said(log: Path, pattern: re.Pattern[str]) -> str:
    """What a process writes into its log, as soon as it does."""
    given_up = time.monotonic() + _PATIENCE
    while not (found := pattern.search(log.read_text(errors="replace"))):
        if time.monotonic() > given_up:
            pytest.fail(f"Spark has not started: {log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)
    return found[0]


def _children(process: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
