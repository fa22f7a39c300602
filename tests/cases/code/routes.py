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
