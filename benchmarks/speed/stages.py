"""Where the processor time of a scan goes: stages.py INDEX, in a repository; prints JSON, seconds by stage.

Runs in a process of its own. A watched function costs a microsecond more, so that the sum is a little high.
"""

from __future__ import annotations

import io
import json
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

SAYING = ("kgram_information", "TextNumbers", "rare_numbers", "weighed", "distinctive_phrases")


def main(known: str) -> None:
    from latency import Stopwatch

    import winnow_ci.config.settings
    import winnow_ci.report  # noqa: F401
    from winnow_ci import cli, git, index, languages
    from winnow_ci.scanner import files, look_up, match

    began = time.process_time()
    watch = Stopwatch(time.process_time)
    for owner, names, stage in (
        (git, ("read_changes",), "git: contents"),
        (languages, ("first_reading",), "tokenising"),
        (look_up, ("all_kgrams",), "hashing every k-gram"),
        (look_up, SAYING, "what tokens say"),
        (look_up, ("places_of",), "lookup"),
        (files, ("quoted_code",), "quoted code"),
        (match, ("shared_contents", "most_telling"), "contents to read"),
        (index.WholeIndex, ("token_map",), "token maps"),
        (match, ("find_regions",), "matching"),
    ):
        for name in names:
            watch.watch(owner, name, stage)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), watch.stage("the rest"):
        cli.main(["scan", "--all", "--index", known])
    json.dump({"start, imports": began, **dict(sorted(watch.seconds.items()))}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
