"""winnow-ci and the tools that a user would pick, side by side on the same code: time, memory, size of the index.

    python benchmarks/speed [--work DIR] [--runs N] [--detectors A,B] [--markdown FILE]

C: curl and git are known, redis is changed. Python: SymPy is known, a part of Django is changed. Each is run whole,
and with 60 files of each side. Wide: curl and git are known, Blender is changed; not for the slow tools. jscpd-known
reads known code only, as a build does. All subjects run in turn, in processes of their own; tables have medians, and
ratios to winnow-ci's build and scan together. A subject that fails or exceeds the limit is not run again on that
input. With --markdown the tables are put into a file, between the two lines that mark their place, after each round of
runs. Exits with 1 if one of the aims at the top is missed.

Needs the kernel (`pip install ./kernel`), `pip install --group bench`, the peers (`python
benchmarks/quality/peers/install.py`, PEERS_CACHE), and, for the code, pip and apt with their package indexes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "quality"), str(HERE.parents[1] / "tools" / "tables")]

from inputs import PAIRS, Input, made  # noqa: E402
from measuring import FailedError, TooLongError  # noqa: E402
from peers.running import PeerError  # noqa: E402
from subjects import OURS, PEERS, SCAN, Ran, Task, run  # noqa: E402
from tabulating import MISSED, Results, aims, markdown, put_into, stages  # noqa: E402


def main() -> int:
    arguments = _parser().parse_args()
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-speed-")))
        work = work.resolve()
        results = [Results(made(language, files, work)) for language, files in _sizes(arguments)]
        for number in range(arguments.runs):
            for each in results:
                _round(each, arguments, work, number)
            text = "\n\n".join([_circumstances(), aims(results), *map(markdown, results), stages(results)])
            if arguments.markdown:
                put_into(arguments.markdown, text)
    print(text)
    return int(MISSED in text)


def _sizes(arguments: argparse.Namespace) -> list[tuple[str, int | None]]:
    """Each pair whole, and in part unless it is wide."""
    return [
        (language, files)
        for language in arguments.inputs
        for files in (None, arguments.files)
        if files is None or not PAIRS[language].is_wide
    ]


def _round(results: Results, arguments: argparse.Namespace, work: Path, number: int) -> None:
    """Run every subject once on an input."""
    for name, subject in {**OURS, **{name: PEERS[name] for name in arguments.detectors}}.items():
        if reason := subject.why_not(results.code):
            results.reasons[name] = reason
        if name in results.reasons or (subject.is_slow and number >= (arguments.slow_runs or arguments.runs)):
            continue
        task = Task(results.code, work / "runs" / name.replace(" ", "-"), work / "runs/known.db", arguments.limit)
        try:
            ran = run(subject, task)
        except (FailedError, TooLongError, PeerError) as error:
            results.reasons[name] = str(error).splitlines()[0]
            print(f"{results.code.name}: {name}: {error}", file=sys.stderr, flush=True)
            continue
        results.runs[name].append(ran)
        if name == SCAN and results.code.is_whole:
            results.stages.append(_stages(results.code, task.index))
        _tell(results.code, name, number, ran)


def _stages(code: Input, index: Path) -> dict[str, float]:
    command = (sys.executable, str(HERE / "stages.py"), str(index))
    return json.loads(subprocess.check_output(command, cwd=code.repository))


def _tell(code: Input, name: str, number: int, ran: Ran) -> None:
    cost = ran.cost
    told = f"wall {cost.wall:.2f} s, CPU {cost.cpu:.2f} s, {cost.largest:.0f} and {cost.together:.0f} MiB"
    print(
        f"{number + 1}: {code.name}: {name}: {told}, {ran.files} files, {ran.found} found", file=sys.stderr, flush=True
    )


def _circumstances() -> str:
    load = f", load average {os.getloadavg()[0]:.0f}" if hasattr(os, "getloadavg") else ""
    return (
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}."
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python benchmarks/speed", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    option = parser.add_argument
    option("--work", type=Path, metavar="DIR", help="keep archives and runs here (default: a temporary folder)")
    option("--runs", type=int, default=5, metavar="N", help="of each subject on each input (default: 5)")
    option("--slow-runs", type=int, metavar="N", help="of copydetect, Dolos and compare50 (default: as --runs)")
    option("--detectors", type=_some_of(PEERS), default=tuple(PEERS), metavar="A,B", help=f"of {', '.join(PEERS)}")
    option("--inputs", type=_some_of(PAIRS), default=tuple(PAIRS), metavar="A,B", help=f"of {', '.join(PAIRS)}")
    option("--files", type=int, default=60, metavar="N", help="files a side of the smaller inputs (default: 60)")
    option("--limit", type=float, default=900, metavar="SECONDS", help="on the wall, for one run (default: 900)")
    option("--markdown", type=Path, metavar="FILE", help="put the tables into this file")
    return parser


def _some_of(allowed: dict) -> object:
    def names(text: str) -> tuple[str, ...]:
        wrong = sorted(set(text.split(",")) - set(allowed))
        if wrong:
            raise argparse.ArgumentTypeError(f"not known: {', '.join(wrong)}; there are {', '.join(allowed)}")
        return tuple(text.split(","))

    return names


if __name__ == "__main__":
    sys.exit(main())
