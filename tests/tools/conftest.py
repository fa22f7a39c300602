from __future__ import annotations

import sys
from pathlib import Path

TOOLS = Path(__file__).parents[2] / "tools"
sys.path += [str(TOOLS / name) for name in ("known_texts", "mutants", "tables")]
