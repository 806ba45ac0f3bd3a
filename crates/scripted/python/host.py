"""Hosts Claude Code with the official SDK, so that ours can be compared with it.

Reads one JSON object from stdin: {"cli": path, "prompts": [text], "via": "can_use_tool" | "hook", "replies": {call: reply}}.
A reply is {"allow": fields to add to the input} or {"deny": words}. Prints the results of the turns as a JSON list.
"""

import asyncio
import json
import sys

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
)

wanted = json.load(sys.stdin)
replies = wanted["replies"]


async def can_use_tool(name, tool_input, context):
    reply = replies[context.tool_use_id]
    if "deny" in reply:
        return PermissionResultDeny(message=reply["deny"])
    return PermissionResultAllow(updated_input={**tool_input, **reply["allow"]})


async def before_tool(hook_input, call, context):
    reply = replies[call]
    if "deny" in reply:
        # The hook has no opinion, so the words travel over can_use_tool, as ours do.
        return {}
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": {**hook_input["tool_input"], **reply["allow"]},
        }
    }


async def main():
    hooks = {"PreToolUse": [HookMatcher(matcher="AskUserQuestion|ExitPlanMode", hooks=[before_tool], timeout=86400)]}
    options = ClaudeAgentOptions(
        cli_path=wanted["cli"],
        can_use_tool=can_use_tool,
        hooks=hooks if wanted["via"] == "hook" else None,
    )
    results = []
    async with ClaudeSDKClient(options) as client:
        for prompt in wanted["prompts"]:
            await client.query(prompt)
            async for message in client.receive_response():
                if isinstance(message, ResultMessage):
                    results.append(message.result)
    print(json.dumps(results))


asyncio.run(main())
