"""Measures again what the papers have measured and proven.

    python experiments [NAME...] [--work DIR] [--plots DIR]
    python experiments --list

All experiments unless some are named; ``--list`` names them, with what they take. Data is generated with fixed seeds,
or fetched (packages of Debian 12 by apt, an archive of PyPI) and checked; with ``--work`` it is kept for the next run.
Prints tables in Markdown; plots go to ``docs/plots`` unless ``--plots`` names another folder. docs/papers.md says
what came out.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from catalogue import EXPERIMENTS, listed

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tools" / "tables"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXPERIMENTS))
    parser.add_argument("--list", action="store_true", help="name the experiments, with what they take, and end")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep what is fetched here")
    parser.add_argument("--plots", type=Path, metavar="DIR", default=ROOT / "docs" / "plots")
    arguments = parser.parse_args()
    if arguments.list:
        print(listed())
        return
    unknown = [name for name in arguments.names if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"there is no experiment {unknown[0]}\nthere are {', '.join(EXPERIMENTS)}")
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-experiments-")))
        run(arguments.names or list(EXPERIMENTS), work, arguments.plots)


def run(names: list[str], work: Path, plots: Path) -> None:
    """Run experiments, print their tables and write their plots."""
    from pages import Corpus

    corpus = Corpus(work)
    plots.mkdir(parents=True, exist_ok=True)
    for name in names:
        start, used = time.perf_counter(), time.process_time()
        result = import_module(name.replace("-", "_")).result(corpus)
        for file, svg in result.plots.items():
            (plots / file).write_text(svg)
        seconds, used = time.perf_counter() - start, time.process_time() - used
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        told = f"{seconds:.0f} s, of the processor {used:.0f} s; so far at most {memory:.1f} GB"
        print(f"## {name}\n\n{result.text}\n\n{told}\n", flush=True)


if __name__ == "__main__":
    main()
