"""Stop a command as its user does: with ^C, or by force."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any, Literal

How = Literal["^C", "force"]

# A program on Windows gets ^C from its console, and so does all else there: each command has a console of its own.
IN_A_GROUP: dict[str, Any] = (
    {"creationflags": subprocess.CREATE_NEW_CONSOLE} if sys.platform == "win32" else {"start_new_session": True}
)
# A program can send ^C only to its own console, and that once it ignores ^C itself.
_CONTROL_C = """
import ctypes, sys
kernel = ctypes.WinDLL("kernel32", use_last_error=True)
kernel.FreeConsole()
for call in ((kernel.AttachConsole, int(sys.argv[1])), (kernel.SetConsoleCtrlHandler, None, 1),
             (kernel.GenerateConsoleCtrlEvent, 0, 0)):
    if not call[0](*call[1:]):
        sys.exit(f"{call[0].__name__}: {ctypes.get_last_error()}")
"""


def stop(process: subprocess.Popen[bytes], how: How) -> None:
    """Stop a command that was started ``IN_A_GROUP``: ^C reaches its children too, force does not."""
    if sys.platform != "win32":
        if how == "^C":
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.kill()
    elif how == "force":
        process.kill()
    else:
        line = [sys.executable, "-c", _CONTROL_C, str(process.pid)]
        # Its console is not there at once.
        while (
            process.poll() is None
            and subprocess.run(line, check=False, timeout=60, stderr=subprocess.DEVNULL).returncode
        ):
            time.sleep(0.05)


def statuses(how: How) -> tuple[int, ...]:
    """Return the statuses of a command that was stopped; ^C before Python listens ends it, too."""
    if sys.platform == "win32":
        return (130, 0xC000013A) if how == "^C" else (1,)
    return (130, -signal.SIGINT) if how == "^C" else (-signal.SIGKILL,)
