"""``winnow-ci cache``: show the user's cache, or make it smaller."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from winnow_ci.report.printable import name, table
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from winnow_ci.fetching.cache import CacheEntry


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "cache",
        help="show the cache of downloads, or make it smaller",
        description="Show where the cache of downloads is, its size, and its contents. Anything that is removed is "
        "fetched again when it is needed.",
    )
    parser.set_defaults(run=_show)
    actions = parser.add_subparsers(title="commands", metavar="COMMAND")
    prune = actions.add_parser(
        "prune",
        help="remove the least recently used entries until the cache is small enough",
        description="Remove the least recently used entries until the cache is small enough. Entries used in the last "
        "24 hours stay. This also happens automatically whenever something is added.",
    )
    prune.add_argument(
        "--to", metavar="SIZE", help="how large it may be now: 0, 500M, 10G (default: WINNOW_CI_CACHE_LIMIT, or 10G)"
    )
    prune.set_defaults(run=_prune)
    clear = actions.add_parser(
        "clear",
        help="remove everything",
        description="Remove everything from the cache. If winnow-ci is running now, you may have to run it again.",
    )
    clear.set_defaults(run=_clear)


def _show(_: argparse.Namespace) -> None:
    from winnow_ci.fetching import cache

    entries, most = cache.cache_entries(), cache.cache_limit()
    of_kind: dict[str, list[CacheEntry]] = defaultdict(list)
    for entry in entries:
        of_kind[entry.kind].append(entry)
    print(name(str(cache.cache_folder())))
    if entries:
        heading = ("WHAT", "NUMBER", "SIZE", "LAST USED")
        print(table([heading, *(_row(kind, some) for kind, some in sorted(of_kind.items()))]))
    print(f"{_size(entries)} of at most {_in_words(most)} ({cache.CACHE_LIMIT})")


def _row(kind: str, entries: Sequence[CacheEntry]) -> tuple[str, ...]:
    last = dt.datetime.fromtimestamp(max(entry.used for entry in entries))
    return kind, f"{len(entries):,}", _size(entries), f"{last:%Y-%m-%d %H:%M}"


def _prune(arguments: argparse.Namespace) -> None:
    from winnow_ci.fetching import cache

    most = cache.cache_limit() if arguments.to is None else cache.parse_size(arguments.to, "--to")
    _say_removed(cache.remove_unused(most), cache.cache_entries())


def _clear(_: argparse.Namespace) -> None:
    from winnow_ci.fetching import cache

    _say_removed(cache.remove_unused(0, grace=float("-inf")), cache.cache_entries())


def _say_removed(removed: Sequence[CacheEntry], left: Sequence[CacheEntry]) -> None:
    print(f"{counted(len(removed), 'entry', 'entries')} removed ({_size(removed)}), {_size(left)} left")


def _size(entries: Sequence[CacheEntry]) -> str:
    return _in_words(sum(entry.size for entry in entries))


def _in_words(size: int) -> str:
    return f"{size / 1e9:.2f} GB" if size >= 10**9 else f"{size / 1e6:.1f} MB"
