"""How many windows of real code ``--selection bounded`` leaves without a fingerprint, compared with robust winnowing.

    python benchmarks/bounded.py FOLDER

Counts all windows of the files below FOLDER that ``index build`` would read. ``python experiments planted`` tests
what the sketch promises.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from winnow_ci.languages import Untokenizable, language_of, tokenize
from winnow_ci.winnowing import kgram_hashes, select

K, W = 16, 12
WINDOWS = (50, 100, 200, 416, 1000)


def real(folder: Path) -> None:
    """All windows of all files. A window without a fingerprint cannot be found."""
    kept, kgrams, windows = dict.fromkeys(("robust", "bounded"), 0), 0, dict.fromkeys(WINDOWS, 0)
    empty = {scheme: dict.fromkeys(WINDOWS, 0) for scheme in kept}
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        language = language_of(path.name, content)
        if language is None:
            continue
        try:
            ids = tokenize(language, content).structural
        except Untokenizable:
            continue
        hashes = kgram_hashes(ids, K)
        kgrams += len(hashes)
        for length in WINDOWS:
            windows[length] += max(0, len(hashes) - length + 1)
        for scheme in kept:
            chosen = select(hashes, W, scheme, ids)
            kept[scheme] += len(chosen)
            gaps = np.diff(np.concatenate([[-1], chosen, [len(hashes)]])) - 1
            for length in WINDOWS:
                empty[scheme][length] += int(np.maximum(0, gaps - length + 1).sum())
    for scheme, count in kept.items():
        misses = ", ".join(f"{n}: {empty[scheme][n] / max(1, windows[n]):.4%}" for n in WINDOWS)
        print(f"{scheme}: {count / kgrams:.4f} of {kgrams:,} k-grams; windows without a place: {misses}")


if __name__ == "__main__":
    real(Path(sys.argv[1]))
