"""What differs between Linux or macOS (``posix``) and Windows (``windows``): both modules have the same names.

Locks, files that no link leads away from, groups of processes, limits, and signals. The choice is made here, once.
docs/windows.md says what Windows cannot promise.
"""

import sys

if sys.platform == "win32":
    from winnow_ci.system.windows import *  # noqa: F403 - it has the same names
else:
    from winnow_ci.system.posix import *  # noqa: F403
