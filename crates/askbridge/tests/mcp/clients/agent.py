"""An agent made with the official `mcp` package, of either generation.

Reads JSON from the first argument: {"url": …, "token": …} or {"command": …, "env": …}, with "mode" (2.x: "legacy" or
"2026-07-28") and "name". Then one call on each line of stdin: {"tool": …, "arguments": …, "limit": seconds,
"times": how often at the same time}. Prints one JSON line for each result: {"text": …, "is_error": …, "progress": …},
or {"failed": …} where the client gave up.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from datetime import timedelta

import mcp
from mcp import StdioServerParameters, stdio_client
from mcp.types import Implementation

wanted = json.loads(sys.argv[1])
is_old = not hasattr(mcp, "Client")
info = Implementation(name=wanted.get("name", "agent.py"), version="1")


@asynccontextmanager
async def transport():
    if "command" in wanted:
        server = StdioServerParameters(
            command=wanted["command"], args=wanted["args"], env=wanted["env"], cwd=wanted["cwd"]
        )
        async with stdio_client(server) as streams:
            yield streams
        return
    headers = {"authorization": f"Bearer {wanted['token']}", **wanted.get("headers", {})}
    if is_old:
        from mcp.client.streamable_http import streamablehttp_client

        async with streamablehttp_client(wanted["url"], headers=headers) as (read, write, _):
            yield read, write
    else:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        async with httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30, read=300)) as client:
            async with streamable_http_client(wanted["url"], http_client=client) as streams:
                yield streams


@asynccontextmanager
async def session():
    if is_old:
        async with transport() as (read, write):
            async with mcp.ClientSession(read, write, client_info=info) as session:
                begun = await session.initialize()
                yield session, begun.protocolVersion
    else:
        client = mcp.Client(transport(), client_info=info, mode=wanted.get("mode", "auto"))
        async with client:
            yield client, client.protocol_version


async def call(session, asked):
    progress = []

    async def hears(done, total, message):
        progress.append(done)

    limit = asked.get("limit")
    if limit is not None and is_old:
        limit = timedelta(seconds=limit)
    try:
        result = await session.call_tool(
            asked["tool"], asked["arguments"], read_timeout_seconds=limit, progress_callback=hears
        )
    except Exception as error:
        return {"failed": type(error).__name__ + ": " + str(error)}
    is_error = result.isError if is_old else result.is_error
    return {"text": result.content[0].text, "is_error": is_error, "progress": progress}


async def main():
    lines = asyncio.get_running_loop()
    async with session() as (client, version):
        tools = await client.list_tools()
        say({"version": version, "tools": [tool.name for tool in tools.tools]})
        while line := await lines.run_in_executor(None, sys.stdin.readline):
            asked = json.loads(line)
            calls = [call(client, asked) for _ in range(asked.get("times", 1))]
            for result in await asyncio.gather(*calls):
                say(result)


def say(what):
    print(json.dumps(what), flush=True)


asyncio.run(main())
