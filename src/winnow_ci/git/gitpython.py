"""GitPython starts a command.

Its import takes as long as that of NumPy, so ``plumbing`` imports this module when a command needs it.
"""

from __future__ import annotations

import os
from errno import ENOENT
from typing import TYPE_CHECKING

from winnow_ci.processes import ChildProcess, standard_input

# GitPython runs `git version` when it is imported, without a limit, and raises ImportError if there is no git or it
# fails. With nothing to run it leaves all errors to the first command, which can say so properly.
os.environ["GIT_PYTHON_REFRESH"] = "quiet"
os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = os.devnull

from git.cmd import Git
from git.exc import GitCommandNotFound

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def start(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], *, given: bytes, leads: bool
) -> ChildProcess:
    """Start a program as ``processes.start`` does.

    Raises:
        OSError: it cannot be started.
    """
    try:
        with standard_input(given) as stdin:
            handle = Git(folder).execute(
                command, istream=stdin, as_process=True, shell=False, env=environment, start_new_session=leads
            )
    except GitCommandNotFound as error:
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), command[0]) from error
    # The handle would end the process as soon as nobody refers to it.
    process, handle.proc = handle.proc, None
    assert process is not None
    return ChildProcess(process, leads=leads)
