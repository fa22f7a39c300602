"""``--engine`` and ``--master``: where ``index build`` and ``index sync`` fingerprint."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from winnow_ci.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from contextlib import AbstractContextManager
    from pathlib import Path

    from winnow_ci.indexer import BuildEngine


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--engine",
        choices=("local", "spark"),
        default="local",
        help="where to fingerprint: on all cores of this machine, or on Apache Spark (default: %(default)s)",
    )
    parser.add_argument(
        "--master",
        metavar="URL",
        help="with --engine spark: the cluster, as spark://HOST:PORT, yarn, k8s://… or local[N] (default: what Spark's "
        "own configuration says)",
    )


def asked(arguments: argparse.Namespace, index: Path) -> AbstractContextManager[BuildEngine]:
    """The engine that is asked for, given the index to write.

    Raises:
        EngineError: it lacks something on this machine.
    """
    if arguments.engine == "local":
        if arguments.master is not None:
            raise UsageError("--master names a cluster of Spark", "add --engine spark, or leave out --master")
        from winnow_ci.indexer import LOCAL

        return nullcontext(LOCAL)
    from winnow_ci.indexer.spark import SparkEngine, folder_for

    return SparkEngine(arguments.master, folder_for(index))
