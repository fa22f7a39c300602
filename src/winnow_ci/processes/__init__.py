"""Starts other programs and ends them in time. Workers of our own, started by ``multiprocessing``: see ``workers``."""

from winnow_ci.processes.limits import ProcessLimitError, ProcessLimits, limit
from winnow_ci.processes.supervision import ChildProcess, ProcessResult, standard_input, start

__all__ = [
    "ChildProcess",
    "ProcessLimitError",
    "ProcessLimits",
    "ProcessResult",
    "limit",
    "standard_input",
    "start",
]
