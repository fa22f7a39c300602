"""``winnow-ci cache``: where the user's cache is, how large, and what is in it; and making it smaller."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from winnow_ci.errors import ExitStatus
from winnow_ci.report.printable import name, table
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from winnow_ci.fetching.cache import CacheEntry

_HEADING = ("WHAT", "NUMBER", "SIZE", "LAST USED")


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "cache",
        help="show the cache of what was fetched, or make it smaller",
        description="Show where the cache of what was fetched is, how large, and what is in it. Whatever is removed "
        "from it is fetched again when it is needed.",
    )
    parser.set_defaults(run=show)
    actions = parser.add_subparsers(title="commands", metavar="COMMAND")
    prune = actions.add_parser(
        "prune",
        help="remove what was not used for the longest time, until the cache is as large as it may be",
        description="Remove what was not used for the longest time, until the cache is as large as it may be. What was "
        "used in the last 24 hours stays. The same happens by itself whenever something is added.",
    )
    prune.add_argument(
        "--to", metavar="SIZE", help="how large it may be now: 0, 500M, 10G (default: WINNOW_CI_CACHE_LIMIT, or 10G)"
    )
    prune.set_defaults(run=prune_cache)
    clear = actions.add_parser(
        "clear",
        help="remove everything",
        description="Remove everything from the cache. A winnow-ci that is running meanwhile may have to be run again.",
    )
    clear.set_defaults(run=clear_cache)


def show(arguments: argparse.Namespace) -> int:  # noqa: ARG001 - there is only one way to show it
    """Show; returns the exit status."""
    from winnow_ci.fetching import cache

    entries, most = cache.cache_entries(), cache.cache_limit()
    of_kind: dict[str, list[CacheEntry]] = defaultdict(list)
    for entry in entries:
        of_kind[entry.kind].append(entry)
    print(name(str(cache.cache_folder())))
    if entries:
        print(table([_HEADING, *(_row(kind, some) for kind, some in sorted(of_kind.items()))]))
    print(f"{_size(_total(entries))} of at most {_size(most)} ({cache.CACHE_LIMIT})")
    return ExitStatus.CLEAN


def prune_cache(arguments: argparse.Namespace) -> int:
    """Shrink the cache to its bound, or further; returns the exit status."""
    from winnow_ci.fetching import cache

    most = cache.cache_limit() if arguments.to is None else cache.parse_size(arguments.to, "--to")
    _tell(cache.remove_unused(most), cache.cache_entries())
    return ExitStatus.CLEAN


def clear_cache(arguments: argparse.Namespace) -> int:  # noqa: ARG001 - everything is everything
    """Remove everything; returns the exit status."""
    from winnow_ci.fetching import cache

    _tell(cache.remove_unused(0, grace=float("-inf")), cache.cache_entries())
    return ExitStatus.CLEAN


def _tell(removed: Sequence[CacheEntry], left: Sequence[CacheEntry]) -> None:
    print(f"{counted(len(removed), 'entry', 'entries')} removed ({_size(_total(removed))}), {_size(_total(left))} left")


def _row(kind: str, entries: Sequence[CacheEntry]) -> tuple[str, ...]:
    last = dt.datetime.fromtimestamp(max(entry.used for entry in entries))
    return kind, f"{len(entries):,}", _size(_total(entries)), f"{last:%Y-%m-%d %H:%M}"


def _total(entries: Iterable[CacheEntry]) -> int:
    return sum(entry.size for entry in entries)


def _size(size: int) -> str:
    return f"{size / 1e9:.2f} GB" if size >= 10**9 else f"{size / 1e6:.1f} MB"
