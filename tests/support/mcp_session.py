"""A session of an assistant with ``winnow-ci mcp``, over standard input and output."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mcp import Client, StdioServerParameters, stdio_client

from support.command import LONGEST, command, environment

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path


def with_server(folder: Path, use: Callable[[Client], Awaitable[Any]], *options: str) -> None:
    """Start a server in a folder, and ask it."""

    async def session() -> None:
        program, *arguments = command("mcp", *options)
        server = StdioServerParameters(command=program, args=arguments, cwd=folder, env=environment())
        async with Client(stdio_client(server)) as client:
            await use(client)

    asyncio.run(asyncio.wait_for(session(), 2 * LONGEST))


async def ask(client: Client, tool: str, **arguments: str) -> Any:
    """Call a tool; return its answer."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    structured = result.structured_content or {}
    return structured.get("result", structured)


async def refused(client: Client, tool: str, **arguments: str) -> str:
    """Call a tool that refuses; return why."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    return "".join(part.text for part in result.content)
