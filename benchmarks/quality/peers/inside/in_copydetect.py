"""Runs in copydetect's environment: in_copydetect.py CHANGED KNOWN RESULT."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import copydetect


def main(changed: str, known: str, result: str) -> None:
    detector = copydetect.CopyDetector(test_dirs=[changed], ref_dirs=[known], display_t=0, silent=True, autoopen=False)
    detector.run()
    rows = []
    for (here, there), (slices, _) in detector.slice_matrix.items():
        code = detector.file_data[here].raw_code
        path, known_path = Path(here).relative_to(changed).as_posix(), Path(there).relative_to(known).as_posix()
        for start, end in zip(*slices.astype(int).tolist(), strict=True):
            rows.append((path, line_at(code, start), line_at(code, max(start, end - 1)), known_path))
    Path(result).write_text(json.dumps(rows))


def line_at(code: str, offset: int) -> int:
    return code.count("\n", 0, offset) + 1


if __name__ == "__main__":
    main(*sys.argv[1:])
