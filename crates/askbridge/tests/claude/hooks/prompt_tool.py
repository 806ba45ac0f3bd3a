"""An MCP server over stdio with one tool, which Claude Code asks for permission and which always says no."""

import json
import sys

TOOL = {
    "name": "approve",
    "description": "May this run?",
    "inputSchema": {
        "type": "object",
        "properties": {"tool_name": {"type": "string"}, "input": {"type": "object"}},
    },
}
NO = json.dumps({"behavior": "deny", "message": "the prompt tool says no"})


def answer(message):
    method = message.get("method")
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        server = {"name": "x", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": NO}]}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    result = answer(message)
    if result is None:
        reply["error"] = {"code": -32601, "message": "there is no such method"}
    else:
        reply["result"] = result
    print(json.dumps(reply), flush=True)
