"""Run git commands that ask a server, as the user would.

They have the user's own configuration, ssh and credentials. The folder that git runs in is ours, so no repository
configures anything. Git cannot ask the user anything, since it has no terminal. A command is ended that writes nothing
for ``SILENCE`` seconds, takes longer than ``LONGEST_RUN``, writes more than ``_MOST_OUTPUT`` bytes, or fetches more
than ``MOST_FETCHED``.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from winnow_ci import processes
from winnow_ci.errors import FetchError
from winnow_ci.fetching.urls import harmless
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import ProcessLimitError, ProcessLimits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from winnow_ci.model import Progress
    from winnow_ci.processes import ChildProcess

SILENCE = 300.0
# A server can send for ever.
LONGEST_RUN = 6 * 3600.0
MOST_FETCHED = 16 << 30
_MOST_OUTPUT = 256 << 20
_LAST_WORDS = 1 << 14
_SETTINGS = (
    "core.hooksPath=/dev/null core.fsmonitor=false core.alternateRefsCommand=true fetch.recurseSubmodules=false "
    "fetch.unpackLimit=1 transfer.bundleURI=false fetch.writeCommitGraph=false gc.auto=0 maintenance.auto=false "
    "core.commitGraph=false protocol.version=2 http.lowSpeedLimit=1 http.lowSpeedTime=120"
).split()
_COMMAND = ("git", "--no-pager", "--no-replace-objects", *(part for one in _SETTINGS for part in ("-c", one)))
# Git gives a hook variables that would make it work in the hook's repository instead of ours.
_OF_THE_CALLER = re.compile(
    r"GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|"
    r"QUARANTINE_PATH|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|IMPLICIT_WORK_TREE|CEILING_DIRECTORIES|TEMPLATE_DIR|"
    r"DEFAULT_HASH|ALLOW_PROTOCOL|PROTOCOL_FROM_USER)"
)
_SSH = "ssh -o BatchMode=yes -o ClearAllForwardings=yes -o ForwardAgent=no -o PermitLocalCommand=no"
_COMPLAINT = re.compile(r"^(?:fatal|error): (.*)$", re.MULTILINE)
_DONE = re.compile(rb"Receiving objects: +\d+% \((\d+)/(\d+)\)")


class RemoteGitOutput(NamedTuple):
    """A command's status, output, and error message without credentials."""

    status: int
    output: bytes
    complaint: str

    @property
    def reason(self) -> str:
        """Why it failed."""
        return self.complaint or f"git ended with status {self.status}"


def run_remote_git(
    arguments: Sequence[str], folder: Path, protocol: str, *, given: bytes = b"", progress: Progress | None = None
) -> RemoteGitOutput:
    """Run a git command until it ends or exceeds a limit.

    Args:
        arguments: the subcommand and its arguments.
        folder: the bare repository that it is run in.
        protocol: which one it may use: ``https``, ``ssh`` or ``file``.
        given: its standard input.
        progress: gets the number of objects that have come, and of all.
    """
    try:
        process = processes.start([*_COMMAND, *arguments], folder, _environment(folder, protocol), given=given)
    except OSError as error:
        problem = f"git cannot be started: {error.strerror}"
        raise FetchError(problem, "check that `git --version` works here") from error
    try:
        with process:
            return _listened(process, folder, progress)
    except ProcessLimitError as error:
        exceeded = {
            "silence": f"nothing came for {SILENCE:,.0f} seconds",
            "output": f"it printed more than {_MOST_OUTPUT >> 20} MiB",
        }
        too_much = f"it took more than {LONGEST_RUN / 3600:g} hours or {MOST_FETCHED >> 30} GiB"
        return RemoteGitOutput(-1, b"", exceeded.get(error.limit, too_much))


def _listened(process: ChildProcess, folder: Path, progress: Progress | None) -> RemoteGitOutput:
    output, last_words = bytearray(), b""
    for more_output, words in process.listen(ProcessLimits(LONGEST_RUN, SILENCE, _MOST_OUTPUT)):
        output += more_output
        last_words = (last_words + words)[-_LAST_WORDS:]
        if progress and (counts := _DONE.findall(words)):
            progress(*map(int, counts[-1]))
        if _size(folder) > MOST_FETCHED:
            raise ProcessLimitError("size")
    return RemoteGitOutput(process.wait(), bytes(output), _complaint(last_words))


def _environment(folder: Path, protocol: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if _OF_THE_CALLER.fullmatch(name) is None}
    ours = {
        **kept,
        "GIT_DIR": str(folder),
        "GIT_ALLOW_PROTOCOL": protocol,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "SSH_ASKPASS_REQUIRE": "never",
        "LC_ALL": "C",
    }
    if protocol == "ssh" and not (kept.keys() & {"GIT_SSH", "GIT_SSH_COMMAND"} or _has_ssh_command(folder, ours)):
        ours["GIT_SSH_COMMAND"] = _SSH
    return ours


def _has_ssh_command(folder: Path, environment: dict[str, str]) -> bool:
    """Whether the user has configured an ssh command."""
    command = ("git", "config", "--get", "core.sshCommand")
    with suppress(OSError), processes.start(command, folder, environment) as process:
        return process.collect().status == 0
    return False


def _size(folder: Path) -> int:
    """Bytes of the packs that are being received."""
    sizes = 0
    with suppress(OSError), os.scandir(folder / "objects" / "pack") as entries:
        for entry in entries:
            if entry.name.startswith("tmp_"):
                # One that git has received whole gets another name.
                with suppress(FileNotFoundError):
                    sizes += entry.stat(follow_symlinks=False).st_size
    return sizes


def _complaint(last_words: bytes) -> str:
    text = last_words.decode(errors="replace").replace("\r", "\n")
    found = _COMPLAINT.search(text)
    lines = [line for line in text.splitlines() if line.strip()]
    return harmless(found[1] if found else lines[-1] if lines else "")[:500]
