"""A scripted model for Codex: the Responses API on loopback, as far as Codex asks for it.

Takes the name of a tool and its arguments. The first request of a conversation is answered with a call of that tool, whatever
follows with a word of goodbye; so is a request that offers no tools, which is not the conversation. Prints its address, then a
JSON line for whatever is new in a request: {"user": …} for what a person says, {"result": …} for a result of a call.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME, ARGUMENTS = sys.argv[1], sys.argv[2]
TOLD = set()


class Model(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(b'{"models": [], "data": []}', "application/json")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        told = [line for line in map(heard, body.get("input", [])) if line] if body.get("tools") else []
        for line in told:
            if line not in TOLD:
                TOLD.add(line)
                print(line, flush=True)
        if not body.get("tools") or any("result" in json.loads(line) for line in told):
            text = [{"type": "output_text", "text": "done"}]
            item = {"type": "message", "role": "assistant", "id": "msg_1", "content": text}
        else:
            item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "arguments": ARGUMENTS, **called(body)}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        events = [
            {"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
        ]
        said = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        self.answer(said.encode(), "text/event-stream")

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def heard(item):
    if item.get("type") == "function_call_output":
        return json.dumps({"result": item["output"]})
    if item.get("type") == "message" and item.get("role") == "user":
        return json.dumps({"user": "".join(part.get("text", "") for part in item["content"])})
    return None


def called(body):
    """Codex lists the tools of a server flat, or in a namespace of their own."""
    for tool in body.get("tools", []):
        if tool.get("name", "").endswith(NAME):
            return {"name": tool["name"]}
        for inner in tool.get("tools", []):
            if inner.get("name", "").endswith(NAME):
                return {"name": inner["name"], "namespace": tool["name"]}
    print(json.dumps({"missing": [tool.get("name") for tool in body.get("tools", [])]}), flush=True)
    return {"name": NAME}


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
server.serve_forever()
