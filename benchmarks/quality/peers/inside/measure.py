"""Runs a command and writes down what it used: measure.py RESULT COMMAND...

A process of its own, and a small one: Linux counts the memory of the process that starts a command as the command's.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def main(result: str, *command: str) -> None:
    start = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    used = {
        "status": os.waitstatus_to_exitcode(status),
        "measured": [seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024],
    }
    Path(result).write_text(json.dumps(used))


if __name__ == "__main__":
    main(*sys.argv[1:])
