"""The command: arguments, wiring, exit statuses. Only this package prints or exits.

Each command is a module, whose docstring begins with its help: a line, and a paragraph that describes it.
``add_to(parser)`` declares its arguments, and ``run(arguments)`` does the work and returns the exit status, or None for
0. A module is imported if its command is asked for, and what it needs when it runs: a
commit hook pays for every import.

Status 1 means findings, so only ``main`` may choose it. Python ends with 1 after an error that nobody
catches, and so does native code that gives up, such as OpenBLAS when memory runs out. So this module imports next to
nothing, and ``entry_point`` decides how the process ends.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.cli.command_line import COMMANDS, EPILOG, main, parser_of
else:
    __getattr__ = on_demand(__name__, command_line="COMMANDS EPILOG main parser_of")

__all__ = ["COMMANDS", "EPILOG", "entry_point", "main", "parser_of"]

_CANNOT_SCAN = 3
_INTERRUPTED = 130
_LAST_WORDS = b"""\
winnow-ci: error: a library ended winnow-ci, as when memory runs out
raise the limit of the job, container or shell (`ulimit -a`), then run it again
the system says"""


def entry_point() -> NoReturn:
    """Run the command for the shell.

    A hook's user waits for the process to end, too. So the system takes it down at once, where Python would free module
    after module.
    """
    try:
        status = _status()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0
    except KeyboardInterrupt:
        status = _INTERRUPTED
    except BaseException as error:
        # There may be no memory for ``main``, or for its message.
        problem, remedy = f"winnow-ci failed: {error!r:.500}", "give it more memory (`ulimit -a`), or reinstall it"
        os.write(2, f"winnow-ci: error: {problem}\n{remedy}\n".encode(errors="replace"))
        status = _CANNOT_SCAN
    for stream in (sys.stdout, sys.stderr):
        # ``main`` has flushed what matters, with a status for a failure. A stream may be closed, or None.
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(status)


def _status() -> int:
    from winnow_ci import system

    system.reset_what_is_inherited()
    # Few imported objects form cycles.
    gc.set_threshold(100_000)
    _reserve_memory()
    # Nothing here uses NumPy's linear algebra, which would start a thread for each core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    system.exit_with(_CANNOT_SCAN, _LAST_WORDS)
    from winnow_ci.cli.command_line import main

    return main(sys.argv[1:])


def _reserve_memory() -> None:
    """Fail now if imports would lack memory, and let the C library keep up to 64 MB of freed memory.

    If memory runs out within an import, Python may wait forever for a lock of its own, and OpenBLAS may crash. glibc
    gives blocks back to the system, which is slow, if they are as large as the largest one before (mallopt(3),
    ``M_MMAP_THRESHOLD``, at most 32 MiB). So we free such blocks here, without touching their pages.
    """
    # All at once: together they are what the imports may take.
    [bytes(31 << 20) for _ in range(4)]
