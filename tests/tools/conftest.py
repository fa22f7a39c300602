from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tools" / "mutants"))

# A source distribution has the tests, but not what is run by hand.
collect_ignore_glob = [] if (Path(__file__).parents[2] / "tools").is_dir() else ["test_*"]
