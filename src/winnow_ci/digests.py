"""``sha256``, as ``hashlib`` has it, but of Python's own: ``hashlib`` loads a large library when it is imported.

A commit hook's user waits for that, and a scan hashes little. Python's ``random`` imports its hash in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["sha256"]

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # since Python 3.12
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:  # a Python that was built without
            from hashlib import sha256
