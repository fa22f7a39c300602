"""Real shells that are asked what they would complete: bash, zsh and fish, as the system has them.

A machine that lacks one skips its tests and says so. With ``REQUIRE_SHELLS`` in its environment, as ``.ci/run`` sets
it, they fail.
"""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

REQUIRED = bool(os.environ.get("REQUIRE_SHELLS"))
# What readline does when somebody presses the tabulator, without a terminal.
_BASH = """
source "$1"; shift
function=$(complete -p winnow-ci | sed 's/.*-F \\([^ ]*\\).*/\\1/')
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
"$function" winnow-ci "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
_FISH = "source $argv[1]; complete -C $argv[2] | string split -f 1 \\t"
# zsh completes only where it edits a line, so it has a terminal; what it would add is printed instead.
_ZSH = """
PS1= PROMPT_EOL_MARK=; unsetopt beep zle; setopt zle
fpath=("{script.parent}" $fpath)
autoload -Uz compinit; compinit -D -u
compadd() {{
    if [[ ${{@[1,(i)(-|--)]}} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
    local -a found; builtin compadd -A found "$@"; candidates+=("${{found[@]}}")
}}
capture() {{ candidates=(); _main_complete; print -rl -- "" BEGIN "${{candidates[@]}}" END }}
zle -C capture complete-word capture; bindkey '^X' capture
print READY
"""


def candidates(shell: str, script: Path, line: str, folder: Path) -> list[str]:
    """What a shell would complete the last word of a line to.

    Args:
        shell: bash, zsh or fish.
        script: that ``winnow-ci completion`` has printed; for zsh called ``_winnow-ci``.
        line: as somebody has typed it so far.
        folder: that the shell is in.
    """
    program = shutil.which(shell)
    if program is None:
        missing = f"no {shell} on this machine, so its completion was not tried; on Debian: apt-get install {shell}"
        if REQUIRED:
            pytest.fail(missing)
        pytest.skip(missing)
    if shell == "zsh":
        return sorted(set(_asked_at_a_terminal(program, script, line, folder)))
    words = line.split(" ") if shell == "bash" else [line]
    command = [program, "--norc", "-c", _BASH, shell] if shell == "bash" else [program, "--no-config", "-c", _FISH]
    done = subprocess.run(
        [*command, str(script), *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    return sorted({one.rstrip(" ") for one in done.stdout.splitlines() if one})


def _asked_at_a_terminal(program: str, script: Path, line: str, folder: Path) -> list[str]:
    setup = script.with_suffix(".setup")
    setup.write_text(_ZSH.format(script=script), encoding="utf-8")
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execv(program, [program, "-f", "-i"])  # pragma: no cover - another program from here
    try:
        os.write(terminal, f"source '{setup}'\n".encode())
        _until("\nREADY", terminal)
        os.write(terminal, f"{line}\x18".encode())
        shown = _until("\nEND", terminal)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)
    return [one for one in shown.partition("\nBEGIN")[2].split("\n") if one]


def _until(mark: str, terminal: int) -> str:
    """What is shown before a mark."""
    shown = ""
    while mark not in shown:
        assert select.select([terminal], [], [], 60)[0], shown
        shown += os.read(terminal, 65536).decode(errors="replace").replace("\r", "")
    return shown.partition(mark)[0]
