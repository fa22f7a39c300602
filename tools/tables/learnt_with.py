"""What the tables were learnt with: ``learnt_with.json``, which this program writes beside them.

Whoever changes how a learnt language is read, or which files are of that language, makes other tables without a sign
of it. So a test compares what there is with what is noted here, and needs no corpus. New tables change the digest of
every index. So a change that real code hardly shows may wait for the next learning: it stands under ``since``, with
what was measured under ``why``.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from winnow_ci import evidence
from winnow_ci.evidence.tables import NAMES
from winnow_ci.evidence.weights import LEARNT
from winnow_ci.languages import extensions, front_end_of, revisions

NOTE = Path(__file__).with_suffix(".json")
CORPUS = Path(__file__).with_name("corpus.json")
FOLDER = Path(evidence.__file__).parent


def learnt_with() -> dict[str, Any]:
    """What would be learnt with now: revisions and endings by front end, sha256 of the corpus and of each table."""
    endings = sorted((front_end_of(language).name, ending) for ending, language in extensions())
    return {
        "corpus": _sha256(CORPUS),
        "revisions": {name: revisions()[name] for name in sorted(LEARNT)},
        "endings": {name: " ".join(ending for own, ending in endings if own == name) for name in sorted(LEARNT)},
        "tables": {name: _sha256(FOLDER / f"{name}.npy") for name in NAMES},
    }


def note() -> None:
    """Write down what the present tables were learnt with."""
    NOTE.write_text(json.dumps(learnt_with(), indent=1) + "\n")


def noted() -> dict[str, Any]:
    """What was written down when the tables were learnt, with what has changed since."""
    note = json.loads(NOTE.read_bytes())
    since = note.pop("since", {})
    since.pop("why", None)
    return {**note, **since}


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
