"""Runs in copydetect's environment: in_copydetect.py CHANGED KNOWN RESULT. Its defaults, but no HTML.

It finds the lines of every overlap, and shows those of files that are a third alike.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import copydetect


def main(changed: str, known: str, result: str) -> None:
    detector = copydetect.CopyDetector(test_dirs=[changed], ref_dirs=[known], silent=True, autoopen=False)
    detector.run()
    is_copied = (detector.similarity_matrix[:, :, 0] > detector.conf.display_t).any(axis=1)
    Path(result).write_text(json.dumps({"files": len(detector.file_data), "found": int(is_copied.sum())}))


if __name__ == "__main__":
    main(*sys.argv[1:])
