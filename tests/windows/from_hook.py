"""Run Python under wine for a hook that git has started on the host, in the environment that the hook would have.

The variables are those of the program that has called git, with what git and the hook have set, changed or removed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

# As in git_server.py, which imports what Windows lacks.
CALLER = "WINNOW_TEST_CALLER"
_OF_HOST = re.compile(r"GIT_EXEC_PATH|_|SHLVL|OLDPWD|PWD|HOME")


def _windows_path(value: str) -> str:
    return f"Z:{value}" if value.startswith("/") else value


def _environment() -> dict[str, str]:
    caller = json.loads(os.environ[CALLER])
    variables, given = dict(caller["variables"]), caller["given"]
    for name, value in os.environ.items():
        known = name in variables and name not in given
        if not known and given.get(name) != value and name != CALLER and not _OF_HOST.fullmatch(name):
            variables[name] = _windows_path(value)
    gone = [name for name in given if name.startswith("GIT_") and name not in os.environ]
    return {name: value for name, value in variables.items() if name not in gone}


if __name__ == "__main__":
    sys.exit(subprocess.run([sys.executable, *sys.argv[1:]], env=_environment(), check=False).returncode)
