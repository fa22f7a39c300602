"""Sign bytes with a key of SSH, and check signatures, with ``ssh-keygen -Y``.

A signature belongs to a namespace, so that one for another purpose is worth nothing here.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import processes
from winnow_ci.errors import FetchError
from winnow_ci.processes import ProcessLimitError, ProcessLimits

if TYPE_CHECKING:
    from collections.abc import Sequence

SIGNATURE = b"-----BEGIN SSH SIGNATURE-----"
"""How a signature begins."""
_SIGNER = "signer"
_LARGEST = 1 << 16


def is_signed(content: bytes, signature: bytes, signers: Sequence[str], namespace: str) -> bool:
    """Return whether one of the signers, by public key, has signed a content."""
    with tempfile.TemporaryDirectory(prefix="winnow-ci-") as folder:
        allowed, written = Path(folder, "allowed"), Path(folder, "signature")
        allowed.write_text("".join(f'{_SIGNER} namespaces="{namespace}" {key}\n' for key in signers))
        written.write_bytes(signature)
        of_signer = "-f", str(allowed), "-I", _SIGNER, "-n", namespace, "-s", str(written)
        status, _ = _ssh_keygen(["-Y", "verify", *of_signer], content)
    return status == 0


def signature_of(content: bytes, key: Path, namespace: str) -> bytes:
    """Sign a content.

    Raises:
        FetchError: ssh-keygen is missing, or cannot sign with this key.
    """
    status, output = _ssh_keygen(["-Y", "sign", "-f", str(key.absolute()), "-n", namespace], content)
    if status != 0:
        said = output.decode(errors="replace").strip().splitlines()
        problem = f"ssh-keygen cannot sign with {key}: {said[-1] if said else status}"
        raise FetchError(problem, "name a key of yours, or make one: ssh-keygen -t ed25519 -f FILE")
    return output


def _ssh_keygen(arguments: Sequence[str], given: bytes) -> tuple[int, bytes]:
    """Return the status of ssh-keygen, and what it prints; if it fails, what it complains.

    It may ask for the passphrase of a key on the terminal.
    """
    try:
        with processes.start(["ssh-keygen", *arguments], Path(), given=given, leads=False) as process:
            done = process.collect(ProcessLimits(seconds=60.0, output=_LARGEST))
    except (OSError, ProcessLimitError) as error:
        problem = f"ssh-keygen cannot be started, or does not end: {error}"
        raise FetchError(problem, "install OpenSSH: signatures need it") from error
    return done.status, done.output if done.status == 0 else done.errors
