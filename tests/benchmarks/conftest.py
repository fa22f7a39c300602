from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / "benchmarks" / "hostile"), str(ROOT / "benchmarks")]

# A source distribution has the tests, but not what is run by hand. The campaign measures as Linux does.
collect_ignore_glob = [] if (ROOT / "benchmarks").is_dir() and sys.platform == "linux" else ["test_*"]
