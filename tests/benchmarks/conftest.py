from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / "benchmarks" / folder) for folder in ("hostile", "quality", "")]

# The campaign measures as Linux does.
collect_ignore_glob = [] if sys.platform == "linux" else ["test_*"]
