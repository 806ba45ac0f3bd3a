"""An MCP server with the tools of gobby's proxy. It has no tasks: every call succeeds, and says what it was called with.

Only the standard library, over stdio.
"""

import json
import sys

TOOLS = ["call_tool", "get_tool_schema", "list_mcp_servers", "list_tools"]


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def answer(request):
    method, params = request["method"], request.get("params") or {}
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "gobby", "version": "0"},
        }
    if method == "tools/list":
        schema = {"type": "object", "additionalProperties": True}
        return {"tools": [{"name": name, "description": name, "inputSchema": schema} for name in TOOLS]}
    if method == "tools/call":
        arguments = params.get("arguments") or {}
        result = {"success": True, "result": {"id": "t-1", "called": arguments}}
        return {"content": [{"type": "text", "text": json.dumps(result)}]}
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request and "method" in request:
        send({"id": request["id"], "result": answer(request)})
