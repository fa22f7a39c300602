"""The file in which GitHub describes the event that a job runs for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.ci.validation import REMEDY, variable
from winnow_ci.errors import CIError

if TYPE_CHECKING:
    from collections.abc import Mapping

# GitHub does not deliver more than 25 MB.
LARGEST = 32 << 20


class GitHubPayload:
    """A payload, in which values are found by their path of names.

    Args:
        environment: names the file in GITHUB_EVENT_PATH.

    Raises:
        CIError: there is no such file, or it is not a payload.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._fields = _read(Path(variable(environment, "GITHUB_EVENT_PATH")))

    def find(self, *names: str) -> object:
        """Return a value; None if there is none."""
        found: Any = self._fields
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return found


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _unreadable(path, f"cannot be read: {reason}") from error
    if len(text) > LARGEST:
        raise _unreadable(path, f"is larger than {LARGEST >> 20} MiB")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, "is not JSON") from error
    if not isinstance(fields, dict):
        raise _unreadable(path, "is not a JSON object")
    return fields


def _unreadable(path: Path, problem: str) -> CIError:
    return CIError(f"the event's payload {path} {problem}", REMEDY)
