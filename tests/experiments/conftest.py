import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / "experiments"), str(ROOT / "tools" / "tables")]
# A source distribution has the tests, but not what is run by hand.
collect_ignore_glob = [] if (ROOT / "experiments").is_dir() else ["test_*"]
