"""How fast ``winnow-ci mcp`` answers.

    python benchmarks/mcp_server.py INDEX FOLDER [--calls N]

An assistant asks the server, over standard input and output, about pieces of the Python files in FOLDER, of 10 to 150
lines, and about whole files. Printed are the median, the 95th percentile and the slowest answer of each tool. What is
asked of it: 95 of 100 answers in half a second, with an index of a million fingerprints.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import time
from pathlib import Path

from mcp import Client, StdioServerParameters, stdio_client

WINNOW = Path(sys.executable).with_name("winnow-ci")
LINES = (10, 40, 150)


async def measure(index: Path, folder: Path, calls: int) -> None:
    chance = random.Random(0)
    files = sorted(path for path in folder.rglob("*.py") if path.stat().st_size > 2000)
    arguments = ["mcp", "--index", str(index)]
    server = StdioServerParameters(command=str(WINNOW), args=arguments, cwd=str(folder))
    async with Client(stdio_client(server)) as client:
        answer = await client.call_tool("describe_indexes", {})
        (described,) = (answer.structured_content or {})["result"]
        print(f"{described['fingerprints']:,} fingerprints, {calls} calls of each tool, in ms")
        print(f"{'':18} {'median':>8} {'95 %':>8} {'slowest':>8}")
        for tool in ("look_up_snippet", "look_up_file", "explain_finding"):
            took = [await answered(client, tool, path, chance) for path in chance.choices(files, k=calls)]
            ordered = sorted(found for found in took if found is not None)
            part = ordered[int(len(ordered) * 0.95)]
            print(f"{tool:18} {statistics.median(ordered):8.1f} {part:8.1f} {ordered[-1]:8.1f}")


async def answered(client: Client, tool: str, path: Path, chance: random.Random) -> float | None:
    """Milliseconds that an answer takes; None if there is no finding to explain."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    first, count = chance.randrange(max(1, len(lines) - 10)), chance.choice(LINES)
    given = {"code": "\n".join(lines[first : first + count]), "path": "a.py"}
    if tool == "look_up_file":
        given = {"path": str(path)}
    if tool == "explain_finding":
        answer = await client.call_tool("look_up_snippet", given)
        findings = (answer.structured_content or {})["findings"]
        if not findings:
            return None
        given = {"finding_id": findings[0]["id"]}
    began = time.perf_counter()
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    return 1000 * (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--calls", type=int, default=200)
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.index.resolve(), arguments.folder.resolve(), arguments.calls))


if __name__ == "__main__":
    main()
