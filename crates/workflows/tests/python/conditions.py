"""Evaluates conditions with CPython: a list of {text, names, daemon} in, a list of {value} or {error} out, as JSON."""

import json
import posixpath
import sys


class Names(dict):
    """A dictionary whose entries are attributes, too."""

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)

    def __repr__(self):
        return dict.__repr__(self)


def given(value):
    if isinstance(value, dict):
        return Names((key, given(item)) for key, item in value.items())
    if isinstance(value, list):
        return [given(item) for item in value]
    return value


DISCOVERY = ["list_mcp_servers", "list_tools", "get_tool_schema", "search_tools", "recommend_tools"]
DISCOVERY += ["list_skills", "get_skill", "search_skills"]


def functions(names, daemon):
    variables = names.get("variables", {})
    data = names.get("event", {}).get("data", {})

    def server(call):
        return call.get("server_name") or call.get("server") or ""

    def tool(call):
        return call.get("tool_name") or call.get("tool") or ""

    def listed(call):
        return bool(server(call)) and server(call) in variables.get("listed_servers", [])

    def unlocked(call):
        key = server(call) + ":" + tool(call)
        return bool(server(call) and tool(call)) and key in variables.get("unlocked_tools", [])

    def plan_file(path, source=None):
        if not path:
            return False
        path = posixpath.normpath(path)
        folders = ("/.gobby/", "/.claude/", "/.gemini/", "/.codex/")
        return path.endswith(".md") and any(folder in path for folder in folders)

    def artifact(path, wanted):
        if not path or not wanted:
            return False
        path, wanted = posixpath.normpath(path.strip()), posixpath.normpath(wanted.strip())
        return not wanted.startswith("/") and not path.startswith("/") and path == wanted

    def needs_task(call, source=None, plan_mode=False):
        path = call.get("file_path")
        if not isinstance(path, str) or not path.strip():
            return True
        return not (plan_file(path.strip(), source) or (bool(plan_mode) and path.strip().endswith(".md")))

    def called(at, name=None):
        calls = variables.get("mcp_calls", {})
        return name in calls.get(at, []) if name else bool(calls.get(at))

    def result(at, name):
        return variables.get("mcp_results", {}).get(at, {}).get(name)

    def failed(at, name):
        held = result(at, name)
        if not isinstance(held, dict):
            return False
        return held.get("success") is False or bool(held.get("error")) or held.get("status") == "failed"

    def has(at, name, field, value):
        held = result(at, name)
        return isinstance(held, dict) and bool(held.get(field) == value)

    def succeeded():
        output = data.get("tool_output")
        if data.get("is_error") is True or data.get("success") is False or data.get("error"):
            return False
        if output is None:
            return data.get("success") is True
        return not (isinstance(output, dict) and (output.get("error") or output.get("success") is False))

    def says(patterns, regex=False):
        text = data.get("last_assistant_message") or ""
        if regex:
            return None
        for pattern in patterns:
            at = text.lower().find(pattern.lower())
            if pattern and at >= 0:
                return text[at : at + len(pattern)]
        return None

    return {
        "len": len,
        "bool": bool,
        "str": str,
        "int": int,
        "list": list,
        "dict": dict,
        "any": any,
        "all": all,
        "true": True,
        "false": False,
        "none": None,
        "normalize_path": lambda path: path.replace("\\", "/"),
        "is_server_listed": listed,
        "is_tool_unlocked": unlocked,
        "is_discovery_tool": lambda name: bool(name) and name in DISCOVERY,
        "is_operator_tool": lambda name: bool(name) and name in ["send_keys", "capture_output"],
        "is_plan_file": plan_file,
        "is_current_plan_artifact": artifact,
        "requires_task_for_any_touched_file": needs_task,
        "mcp_called": called,
        "mcp_result_is_null": lambda at, name: result(at, name) is None,
        "mcp_failed": failed,
        "mcp_result_has": has,
        "tool_call_succeeded": succeeded,
        "assistant_response_matches_any": says,
        **{name: lambda *args: daemon for name in names.get("__daemon__", [])},
    }


def evaluate(case):
    names = given(case["names"])
    scope = {"__builtins__": {}, **functions(names, case["daemon"]), **names}
    try:
        return {"value": repr(eval(" ".join(case["text"].split()), scope))}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


print(json.dumps([evaluate(case) for case in json.load(sys.stdin)]))
