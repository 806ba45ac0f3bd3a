"""Renders templates with Jinja2: a list of {text, names} in, a list of {value} or {error} out, as JSON."""

import json
import shlex
import sys

import jinja2

environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
environment.filters["shlex_quote"] = lambda value: shlex.quote(str(value))


def render(case):
    try:
        return {"value": environment.from_string(case["text"]).render(**case["names"])}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


print(json.dumps([render(case) for case in json.load(sys.stdin)]))
