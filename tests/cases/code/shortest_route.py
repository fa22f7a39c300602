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
