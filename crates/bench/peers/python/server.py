"""What a Python programmer would write: the official SDK behind FastAPI, one agent for each WebSocket. Stores nothing.

`server.py CLI` prints its address. Frames: `say` and `answer` come in, `delta`, `asked`, `returned` and `ended` go out.
"""

import asyncio
import json
import socket
import sys

import uvicorn
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    ResultMessage,
    StreamEvent,
    UserMessage,
)
from fastapi import FastAPI, WebSocket, WebSocketDisconnect

CLI = sys.argv[1]
app = FastAPI()


@app.websocket("/turns")
async def turns(screen: WebSocket):
    await screen.accept()
    pending = {}

    async def tell(frame):
        await screen.send_text(json.dumps(frame, separators=(",", ":")))

    async def can_use_tool(name, tool_input, context):
        call = context.tool_use_id
        pending[call] = asyncio.get_running_loop().create_future()
        await tell({"type": "asked", "id": call, "questions": tool_input["questions"]})
        answers = await pending[call]
        del pending[call]
        return PermissionResultAllow(updated_input={**tool_input, "answers": answers})

    async def listen(client):
        try:
            while True:
                frame = json.loads(await screen.receive_text())
                if frame["type"] == "say":
                    await client.query(frame["text"])
                else:
                    pending[frame["id"]].set_result(frame["answers"])
        except WebSocketDisconnect:
            await client.disconnect()

    async with ClaudeSDKClient(
        ClaudeAgentOptions(cli_path=CLI, can_use_tool=can_use_tool, include_partial_messages=True)
    ) as client:
        listening = asyncio.create_task(listen(client))
        async for message in client.receive_messages():
            if isinstance(message, StreamEvent):
                text = message.event.get("delta", {}).get("text")
                if text is not None:
                    await tell({"type": "delta", "text": text})
            elif isinstance(message, UserMessage):
                await tell({"type": "returned"})
            elif isinstance(message, ResultMessage):
                await tell({"type": "ended"})
        await listening


listener = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}/", flush=True)
# As fast as uvicorn goes: its C parser and event loop, no compression, no access log.
config = uvicorn.Config(
    app, loop="uvloop", http="httptools", ws_per_message_deflate=False, log_level="error", lifespan="off"
)
uvicorn.Server(config).run(sockets=[listener])
