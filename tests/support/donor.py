"""Known code for the tests of the command, and changes that copy from it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

ROUTES = '''\
"""Routes on a map of weighted roads."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict, deque


class NoRoute(LookupError):
    """Two places that no road connects."""

    def __init__(self, start, goal):
        super().__init__(f"no route from {start!r} to {goal!r}")
        self.start, self.goal = start, goal


def shortest_route(roads, start, goal):
    """Dijkstra's algorithm with a heap of places still to visit."""
    distance = {start: 0.0}
    came_from = {}
    waiting = [(0.0, start)]
    while waiting:
        so_far, place = heapq.heappop(waiting)
        if place == goal:
            break
        if so_far > distance[place]:
            continue
        for neighbour, length in roads.get(place, {}).items():
            if length < 0:
                raise ValueError(f"negative road: {place} to {neighbour}")
            candidate = so_far + length
            if candidate < distance.get(neighbour, math.inf):
                distance[neighbour] = candidate
                came_from[neighbour] = place
                heapq.heappush(waiting, (candidate, neighbour))
    else:
        raise NoRoute(start, goal)
    route = deque([goal])
    while route[0] != start:
        route.appendleft(came_from[route[0]])
    return list(route), distance[goal]


def merge_closures(closures, tolerance=0):
    """Join the spans of time in which a road is closed, where they touch."""
    merged = []
    for begin, end in sorted(closures):
        if end < begin:
            begin, end = end, begin
        if merged and begin - merged[-1][1] <= tolerance:
            previous_begin, previous_end = merged.pop()
            merged.append((previous_begin, max(previous_end, end)))
        elif end - begin > tolerance:
            merged.append((begin, end))
    total = sum(end - begin for begin, end in merged)
    longest = max(merged, key=lambda span: span[1] - span[0], default=None)
    return merged, total, longest


def districts(roads):
    """Places that can be reached from one another, largest group first."""
    both_ways = defaultdict(set)
    for place, neighbours in roads.items():
        both_ways[place].update(neighbours)
        for neighbour in neighbours:
            both_ways[neighbour].add(place)
    seen, groups = set(), []
    for place in both_ways:
        if place in seen:
            continue
        group, waiting = {place}, deque([place])
        while waiting:
            here = waiting.popleft()
            fresh = both_ways[here] - group
            group |= fresh
            waiting.extend(fresh)
        seen |= group
        groups.append(group)
    groups.sort(key=len, reverse=True)
    return groups
'''

LOGS = '''\
"""Reading of log lines."""

import re
from datetime import datetime, timedelta, timezone

LINE = re.compile(r"(?P<when>\\S+) +(?P<level>[A-Z]+) +(?P<text>.*)")


def read_levels(lines, since=None, limit=1000):
    """Count the levels of the lines, and keep the last texts of each."""
    counts, texts, broken = {}, {}, 0
    cut = since or datetime.now(timezone.utc) - timedelta(days=7)
    for number, line in enumerate(lines):
        found = LINE.match(line.rstrip())
        if found is None or number >= limit:
            broken += 1
            continue
        when = datetime.fromisoformat(found["when"])
        if when.tzinfo is None:
            when = when.replace(tzinfo=timezone.utc)
        if when < cut:
            del line
            continue
        level = found["level"].lower()
        counts[level] = counts.get(level, 0) + 1
        texts.setdefault(level, []).append((when, found["text"]))
    for kept in texts.values():
        kept[:] = sorted(kept, reverse=True)[:10]
    return counts, texts, broken
'''

KNOWN = {"roads/routes.py": ROUTES, "roads/logs.py": LOGS}
"""The files of a source."""

INNOCENT = '''\
"""Greetings for the staff."""

NAMES = ("Ada", "Grace", "Barbara")


def greet(hour):
    if hour < 12:
        word = "Good morning"
    else:
        word = "Good evening"
    print(word + ", " + " and ".join(NAMES) + "!")


with open("greetings.txt") as stream:
    for row in stream:
        greet(int(row))
'''

_NAMES = {
    "merge_closures": "fuse",
    "closures": "reservations",
    "tolerance": "slack",
    "merged": "joined",
    "begin": "opens",
    "end": "shuts",
    "previous_begin": "earlier",
    "previous_end": "later",
    "total": "amount",
    "longest": "widest",
    "span": "pair",
}


def write_known(folder: Path) -> Path:
    """Write the files of the source into a folder."""
    for name, text in KNOWN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


class Excerpt(NamedTuple):
    """A function of known code: its text, and the lines that it stands on."""

    text: str
    first: int
    last: int


def excerpt(name: str, source: str = ROUTES) -> Excerpt:
    """The function of that name."""
    start = source.index(f"def {name}(")
    end = source.find("\n\n\n", start)
    text = source[start : end + 1 if end >= 0 else len(source)]
    first = source.count("\n", 0, start) + 1
    return Excerpt(text, first, first + text.count("\n") - 1)


def renamed(text: str) -> str:
    """The text with other names of its own, and another description."""
    text = re.sub(r'""".*?"""', '"""Combine what overlaps."""', text)
    return re.sub(r"\w+", lambda word: _NAMES.get(word[0], word[0]), text)


PLAN = '''\
"""The plan of the day."""

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")


def today(number):
    return DAYS[number % len(DAYS)]


print(today(3))
'''

SHORTEST_ROUTE = excerpt("shortest_route")
MERGE_CLOSURES = excerpt("merge_closures")
DISTRICTS = excerpt("districts")

BASE = {"src/plan.py": PLAN}
"""What the default branch of a repository has."""

CHANGE = {
    "src/bookings.py": "LIMIT = 30\n\n\n" + renamed(MERGE_CLOSURES.text),
    "src/greetings.py": INNOCENT,
    "src/plan.py": PLAN + "\n\n" + SHORTEST_ROUTE.text,
}
"""What a branch has: a renamed copy, nothing copied, and a verbatim copy below lines that were there."""
