"""Reads YAML texts with PyYAML: a list of texts in, a list of values or nulls out, as JSON."""

import json
import sys

import yaml


def plain(value):
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    return "date"


def read(text):
    try:
        return {"value": plain(yaml.safe_load(text))}
    except (yaml.YAMLError, ValueError) as error:
        return {"error": str(error)}


print(json.dumps([read(text) for text in json.load(sys.stdin)]))
