"""Makes trials in a process of their own, so that one that dies, never ends or takes all memory is seen and named."""

from __future__ import annotations

import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from trials import MOST_MEMORY, Outcome, Trial, Verdict, chance_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection
    from random import Random

    from trials import Attempt, Part

# More than any trial should take; a command of a trial has a limit of its own.
LONGEST = 300.0
# So that what a library keeps does not count as the memory of a later trial.
A_WORKER = 2_000
# Where the system ends a process that takes more addresses than this; resident memory is checked after each trial.
MOST_ADDRESSES = 6 << 30


def made(part: Part, attempt: Attempt, numbers: Sequence[int], seed: int, work: Path) -> Iterator[Trial]:
    """Make trials one after the other, each in a fresh folder; a worker that dies costs only one of them."""
    context, at = multiprocessing.get_context("fork"), 0
    while at < len(numbers):
        here, there = context.Pipe(duplex=False)
        some = numbers[at : at + A_WORKER]
        worker = context.Process(target=_work, args=(there, part, attempt, some, seed, work))
        worker.start()
        there.close()
        told = 0
        for trial in _heard(here):
            yield trial
            told += 1
        _end(worker)
        at += told
        if told < len(some) and worker.exitcode != 0:
            yield Trial(numbers[at], _death(worker.exitcode or 0), part.cpu, 0)
            at += 1


def _heard(here: Connection) -> Iterator[Trial]:
    with suppress(EOFError):
        while here.poll(LONGEST):
            yield here.recv()


def _end(worker: multiprocessing.process.BaseProcess) -> None:
    """End a worker and all that it has started, which are a group of their own."""
    worker.join(1)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(worker.pid or 0, signal.SIGKILL)
    worker.join()


def _death(status: int) -> Outcome:
    if status == -signal.SIGPROF:
        return Outcome(Verdict.OVER, "the worker", "more seconds of the processor than a trial may take")
    if status == -signal.SIGKILL:
        return Outcome(Verdict.OVER, "the worker", f"no answer in {LONGEST:.0f} s, or out of memory")
    return Outcome(Verdict.TRACEBACK, "the worker", f"died with {status}")


def _work(there: Connection, part: Part, attempt: Attempt, numbers: Sequence[int], seed: int, work: Path) -> None:
    os.setsid()
    # The words of a parser of arguments are not looked up in a language of the user's.
    for name in ("LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        os.environ.pop(name, None)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    # A fork has all that the process had which made it.
    inherited = _most(resource.RUSAGE_SELF)
    for number in numbers:
        trial = _one(part, attempt, number, chance_of(part.name, seed, number), work, inherited)
        there.send(trial)
        if trial.outcome.verdict is Verdict.OVER or trial.memory > MOST_MEMORY:
            break
    there.close()
    os._exit(0)


def _one(part: Part, attempt: Attempt, number: int, chance: Random, work: Path, inherited: int) -> Trial:
    folder = Path(tempfile.mkdtemp(prefix=f"{part.name}-", dir=work))
    before = _cpu()
    # A little more, so that a trial that is only slow is told as such, with its input.
    signal.setitimer(signal.ITIMER_PROF, part.cpu * 3)
    try:
        os.chdir(folder)
        outcome = attempt(number, chance)
    except Exception:  # whatever the trial itself did not expect is what the campaign looks for
        outcome = Outcome(Verdict.TRACEBACK, "the trial", traceback.format_exc())
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.chdir(work)
    shutil.rmtree(folder, ignore_errors=True)
    cpu = _cpu() - before if outcome.cpu is None else outcome.cpu
    return Trial(number, _bounded(part, outcome, cpu, memory := _memory(inherited)), cpu, memory)


def _bounded(part: Part, outcome: Outcome, cpu: float, memory: int) -> Outcome:
    if cpu > part.cpu:
        return outcome._replace(verdict=Verdict.OVER, says=f"{cpu:.1f} s of the processor; {outcome.says}")
    if memory > MOST_MEMORY:
        return outcome._replace(verdict=Verdict.OVER, says=f"{memory >> 20:,} MiB; {outcome.says}")
    return outcome


def _cpu() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def _memory(inherited: int) -> int:
    """Bytes that the worker took at most beyond those that it began with, or that its largest command had.

    A command begins as its worker, so what it had itself is only known if that is more.
    """
    own, theirs = map(_most, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return max(own - inherited, theirs if theirs > own else 0)


def _most(who: int) -> int:
    """Bytes that a process, or the largest of those that it has waited for, had at most; Linux counts kibibytes."""
    return 1024 * resource.getrusage(who).ru_maxrss
