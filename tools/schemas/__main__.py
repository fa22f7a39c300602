"""Write the schemas of the files of a team, by which editors know their keys, into `docs`.

    python tools/schemas [--documentation ADDRESS] [--to DIR]

They are made from the files beside this one, with the names of languages and licences that the installed Pygments and
license-expression have. Tests compare those in `docs` with what this makes, and with what checks the files. For
SchemaStore, `--documentation` gives the address that the pages of `docs` have on the web, and `--to` another folder.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from schema_documents import DOCUMENTATION, KINDS, document

DOCS = Path(__file__).parents[2] / "docs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documentation", default=DOCUMENTATION, metavar="ADDRESS")
    parser.add_argument("--to", type=Path, default=DOCS, metavar="DIR")
    arguments = parser.parse_args()
    for kind in KINDS:
        text = json.dumps(document(kind, arguments.documentation), indent=2, ensure_ascii=False)
        (arguments.to / kind.name).write_text(f"{text}\n", encoding="utf-8")


main()
