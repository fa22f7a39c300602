"""What the commands do, without the command line: each operation is one list of steps.

A command hands over what it was asked for as values and prints what comes back; nothing here reads arguments, prints
or exits.
"""

from __future__ import annotations

CONFIGURATION = ".winnow.yml"
MANIFEST = ".winnow/sources.yml"
