"""Start and stop Spark, a Java process, and run jobs of one task each.

Spark's log goes to a file that is deleted at the end: a person sees our progress, and what to do about an error. Each
job has a thread. The main thread asks Spark for nothing while it waits, so ^C interrupts no question.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO

from winnow_ci import system
from winnow_ci.errors import EngineError
from winnow_ci.indexer.spark.slices import SliceTask

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway
    from pyspark import SparkContext

_MOST_JOBS = 1024  # threads that wait for jobs: more than a cluster has cores would be useless
_REACHED_WITHIN = 15.0  # seconds
_STOPPED_WITHIN = 20.0  # seconds

SAME_AS_HERE = (
    "install the same Python and winnow-ci where the executors run; if the path differs there, set PYSPARK_PYTHON"
)

_INSTALL = "pip install 'winnow-ci[spark]'"
_AGAIN = "see Spark's logs; finished work is kept: run this again to continue"
_JAVA = "install a Java runtime, 17 or newer (on Debian: apt-get install openjdk-17-jre-headless), or set JAVA_HOME"
_LOOPBACK = {
    # Others on this network must not see what is built on this machine alone.
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
}
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)")
_NO_PROGRAM = re.compile(r'Cannot run program "([^"]+)"')
_OF_PYTHON = re.compile(r"^(?!org\.|java\.)(?:\w+\.)*\w+(?:Error|Exception)\b.*", re.MULTILINE)
_CAUSED_BY = re.compile(r"^Caused by: (.*)", re.MULTILINE)
_OF_JAVA = re.compile(r"(?:org|java)\.[\w.]+(?:Error|Exception)\b.*")
_MOST_SHOWN = 300


class SparkSession:
    """A running Spark; ``cores`` are those of all executors that have come."""

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self._threads = ThreadPoolExecutor(_MOST_JOBS, "spark-job")
        self.cores = 1

    def run(self, name: str, given: tuple[str, bytes], then: Callable[[bytes], Any]) -> Future[Any]:
        """Run a task in a thread, and give its result to a function; the future may raise ``EngineError``."""
        with system.held_back("SIGINT"):
            return self._threads.submit(lambda: then(self._answer(name, given)))

    def works(self) -> Future[bool]:
        """Find out whether any executor is working on a task."""
        return self._threads.submit(self._works)

    def stop(self) -> None:
        """Stop all jobs, and Spark."""
        # In another thread, since this one may have been interrupted while it asked for something.
        stopping = Thread(target=self._stop, daemon=True)
        stopping.start()
        stopping.join(_STOPPED_WITHIN)
        self._threads.shutdown(wait=not stopping.is_alive(), cancel_futures=True)

    def _stop(self) -> None:
        # Spark may be gone already.
        with suppress(Exception):
            self._context.stop()

    def _answer(self, name: str, given: tuple[str, bytes]) -> bytes:
        self._context.setJobDescription(name)
        try:
            # As an element of the data set, the slice would stay in Java's memory until Python looks for cycles.
            sent = self._context.broadcast(given)
            try:
                (answer,) = self._context.parallelize([name], 1).map(SliceTask(sent)).collect()
            finally:
                sent.destroy()
            self.cores = max(1, self._context.defaultParallelism)
        except Exception as error:
            raise _failure(error) from error
        assert isinstance(answer, bytes)
        return answer

    def _works(self) -> bool:
        tracker = self._context.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        return any(stage and stage.numActiveTasks for stage in stages)


def check_installed() -> None:
    """Raise ``EngineError`` if something that Spark needs is missing on this machine."""
    if importlib.util.find_spec("pyspark") is None:
        raise EngineError("--engine spark needs PySpark, which is not installed", _INSTALL)
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=os.path.join(home, "bin") if home else None) is None:  # noqa: PTH118
        where = f"in JAVA_HOME ({home})" if home else "on this machine"
        raise EngineError(f"Spark needs Java, but found none {where}", _JAVA)


@contextmanager
def started(master: str | None) -> Iterator[SparkSession]:
    """Start Spark, and stop it in the end; raise ``EngineError`` if it or its master cannot be reached."""
    # Py4J also logs what it raises, and without a handler that goes to standard error.
    logging.getLogger().addHandler(logging.NullHandler())
    if master is not None:
        _check_reach(master)
    with (
        tempfile.TemporaryDirectory(prefix="winnow-ci-spark-") as place,
        Path(place, "log").open("w+b") as log,
        ExitStack() as stack,
    ):
        try:
            gateway = _gateway(Path(place), log)
            stack.callback(_end, gateway)
            session = SparkSession(_context(gateway, master))
            stack.callback(session.stop)
        except Exception as error:
            raise _not_started(error, master, log) from error
        yield session


def _gateway(place: Path, log: BinaryIO) -> JavaGateway:
    """Start the Java process in an empty folder: its children would import modules from the current one."""
    import pyspark  # noqa: PLC0415 - few need it
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415

    # Without it, PySpark would first look for Spark in the folder above the current one, which may be a stranger's.
    os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    return launch_gateway(popen_kwargs={"cwd": place, "stdout": log, "stderr": log})  # type: ignore[no-untyped-call]


def _context(gateway: JavaGateway, master: str | None) -> SparkContext:
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415

    interrupted = signal.getsignal(signal.SIGINT)
    settings = SparkConf(_jvm=gateway.jvm)
    settings.setAppName("winnow-ci")
    if master is not None:
        settings.setMaster(master)
    if (settings.get("spark.master") or "").startswith("local"):
        for key, value in _LOOPBACK.items():
            settings.setIfMissing(key, value)
    try:
        context = SparkContext(conf=settings, gateway=gateway)
    finally:
        # PySpark's own handler asks Spark to stop the jobs while another question may be half asked.
        signal.signal(signal.SIGINT, interrupted)
    # This server prints a traceback if it is stopped at a bad moment, and we do not use it.
    context._accumulatorServer.handle_error = lambda *_: None  # type: ignore[method-assign] # noqa: SLF001
    named = os.environ.get("PYSPARK_PYTHON") or settings.get("spark.pyspark.python")
    context.pythonExec = named or sys.executable
    return context


def _end(gateway: JavaGateway) -> None:
    """End the Java process, which ends by itself when its input is closed."""
    process = gateway.proc
    with suppress(OSError):
        process.stdin.close()
    with suppress(Exception):
        process.wait(_STOPPED_WITHIN)
    if process.poll() is None:
        process.kill()
        process.wait()


def _check_reach(master: str) -> None:
    """Ask each standalone master for a connection: Spark itself would try for a minute, and say less."""
    if not master.startswith("spark://"):
        return
    places = master.removeprefix("spark://").split(",")
    reasons = []
    for place in places:
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _REACHED_WITHIN / len(places)).close()
        except (OSError, ValueError, OverflowError) as error:
            reasons.append(str(error))
        else:
            return
    problem = f"{master}: no Spark master there: {'; '.join(reasons)}"
    raise EngineError(problem, "start it, or name another with --master")


def _not_started(error: Exception, master: str | None, log: BinaryIO) -> EngineError:
    log.seek(0)
    said = log.read().decode(errors="replace")
    if "UnsupportedClassVersionError" in said:
        return EngineError("this Java is too old for Spark", _JAVA)
    where = f" with the master {master}" if master else ""
    problem = f"Spark has not started{where}: {_cause(said) or _cause(str(error)) or error}"
    return EngineError(problem, "check that spark-submit works there")


def _failure(error: Exception) -> EngineError:
    said = str(error)
    if missing := _NO_MODULE.search(said):
        return EngineError(f"executors lack the module {missing[1]}: they need this winnow-ci", SAME_AS_HERE)
    if missing := _NO_PROGRAM.search(said):
        return EngineError(f"executors have no {missing[1]}", SAME_AS_HERE)
    if "PYTHON_VERSION_MISMATCH" in said:
        here = ".".join(map(str, sys.version_info[:2]))
        return EngineError(f"executors have a different Python than this machine ({here})", SAME_AS_HERE)
    return EngineError(f"Spark gave up: {_cause(said) or said[:_MOST_SHOWN]}", _AGAIN)


def _cause(said: str) -> str | None:
    """Return the line of Java or Python that names the cause."""
    found = [*_OF_PYTHON.findall(said)[-1:], *_CAUSED_BY.findall(said)[-1:], *_OF_JAVA.findall(said)[:1]]
    return found[0].strip()[:_MOST_SHOWN] if found else None
