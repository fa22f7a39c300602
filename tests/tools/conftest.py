from __future__ import annotations

import sys
from pathlib import Path

TOOLS = Path(__file__).parents[2] / "tools"
sys.path += [str(TOOLS / "mutants"), str(TOOLS / "tables")]
