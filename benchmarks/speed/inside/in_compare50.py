"""Runs in compare50's environment: in_compare50.py ADAPTER CHANGED KNOWN RESULT. As benchmarks/quality has it run."""

from __future__ import annotations

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def main(file: str, changed: str, known: str, result: str) -> None:
    specification = spec_from_file_location("adapter", file)
    adapter = module_from_spec(specification)
    specification.loader.exec_module(adapter)
    submissions, submitted = adapter.submissions, []

    def counted(tree: Path, preprocessor: object, *, archive: bool) -> list:
        made = submissions(tree, preprocessor, archive=archive)
        submitted.extend(made)
        return made

    adapter.submissions = counted
    adapter.main(changed, known, result)
    rows = json.loads(Path(result).read_text())
    Path(result).write_text(json.dumps({"files": len(submitted), "found": len({path for path, *_ in rows})}))


if __name__ == "__main__":
    main(*sys.argv[1:])
