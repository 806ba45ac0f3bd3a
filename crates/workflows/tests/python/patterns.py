"""Searches texts with CPython's `re`: a list of [pattern, text] in, a list of booleans out, null for a bad pattern."""

import json
import re
import sys


def search(pattern, text):
    try:
        return bool(re.search(pattern, text))
    except re.error:
        return None


print(json.dumps([search(pattern, text) for pattern, text in json.load(sys.stdin)]))
