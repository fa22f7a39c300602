"""Reading of log lines."""

import re
from datetime import datetime, timedelta, timezone

LINE = re.compile(r"(?P<when>\S+) +(?P<level>[A-Z]+) +(?P<text>.*)")


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
