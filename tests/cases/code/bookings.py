LIMIT = 30


def fuse(reservations, slack=0):
    """Combine what overlaps."""
    joined = []
    for opens, shuts in sorted(reservations):
        if shuts < opens:
            opens, shuts = shuts, opens
        if joined and opens - joined[-1][1] <= slack:
            earlier, later = joined.pop()
            joined.append((earlier, max(later, shuts)))
        elif shuts - opens > slack:
            joined.append((opens, shuts))
    amount = sum(shuts - opens for opens, shuts in joined)
    widest = max(joined, key=lambda pair: pair[1] - pair[0], default=None)
    return joined, amount, widest
