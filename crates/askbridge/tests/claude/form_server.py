"""An MCP server with two tools that ask the person at the client: by a form, and by a page to visit.

Only the standard library, over stdio. Each tool answers with what the client replied, whole.
"""

import json
import sys

FORM = {
    "mode": "form",
    "message": "Where should it go?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "host": {"type": "string", "title": "Host"},
            "port": {"type": "integer"},
            "tier": {"type": "string", "enum": ["small", "large"]},
            "public": {"type": "boolean"},
        },
        "required": ["host", "tier"],
    },
}
PAGE = {"mode": "url", "message": "Sign in", "url": "https://example.org/login", "elicitationId": "e-1"}
ASKS = {"fill": FORM, "visit": PAGE}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def tool(name):
    # Without this the tool hides behind a search for tools.
    meta = {"anthropic/alwaysLoad": True}
    return {"name": name, "description": "Asks.", "inputSchema": {"type": "object"}, "_meta": meta}


def initialized(params):
    return {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "forms", "version": "1"},
    }


waiting = {}
for line in sys.stdin:
    heard = json.loads(line)
    method, number = heard.get("method"), heard.get("id")
    if method is None:
        call = waiting.pop(number, None)
        if call is not None:
            reply = heard.get("result", heard.get("error"))
            send({"id": call, "result": {"content": [{"type": "text", "text": json.dumps(reply, sort_keys=True)}]}})
    elif method == "tools/call":
        asked = f"ask-{number}"
        waiting[asked] = number
        send({"id": asked, "method": "elicitation/create", "params": ASKS[heard["params"]["name"]]})
    elif number is not None:
        if method == "initialize":
            result = initialized(heard["params"])
        elif method == "tools/list":
            result = {"tools": [tool(name) for name in ASKS]}
        else:
            result = {}
        send({"id": number, "result": result})
