"""Make the documentation as a site: `python tools/site FOLDER`, or `make docs`.

Each page is a file of `docs/`, as it is read on GitHub. `pages.py` lays them out as a site has them, beside pages that
are made from the code (`reference/`); Sphinx makes HTML of that. Its warnings are errors, and a link that leads
nowhere is a warning. A reader's browser asks nobody but the site for anything.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from accessible import mend
from pages import lay_out
from sphinx.cmd.build import main as sphinx

HERE = Path(__file__).parent


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the documentation as a site.")
    parser.add_argument("output", type=Path, metavar="FOLDER", help="where the site shall be; what is there is removed")
    output = parser.parse_args().output
    shutil.rmtree(output, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        sources, state = Path(folder, "sources"), Path(folder, "state")
        lay_out(sources)
        strict = ("--fail-on-warning", "--keep-going", "--quiet")
        status = sphinx([*strict, "-c", str(HERE), "-d", str(state), "-b", "html", str(sources), str(output)])
    mend(output)
    for left in (".buildinfo", "objects.inv"):
        (output / left).unlink(missing_ok=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
