"""What is true among the findings of ``noise_pairs.py``: files in ``labels.json``; all others are false."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path


def label_of(known: str, changed: str, finding: dict) -> str:
    """Whether a finding of a pair is a "copy" or "false"."""
    here, there = finding["path"], finding["source"]["path"]
    copies = _stored()["copies"]
    of_pair = ((path, source) for one, other, path, source in copies if (one, other) == (known, changed))
    return "copy" if any(path in here and source in there for path, source in of_pair) else "false"


@cache
def _stored() -> dict:
    return json.loads(Path(__file__).with_name("labels.json").read_text())
