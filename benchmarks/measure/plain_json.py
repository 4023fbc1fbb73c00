"""JSON that people can read: one key a line, arrays of plain values on one line."""

import json
from typing import Any


def to_json(value: Any, depth: int = 0) -> str:
    """The value as JSON; a list without dictionaries in it takes one line."""
    pad = " " * (depth + 1)
    if isinstance(value, dict) and value:
        lines = [f"{pad}{json.dumps(str(key))}: {to_json(inner, depth + 1)}" for key, inner in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}"
    if isinstance(value, list | tuple) and any(isinstance(inner, dict) for inner in value):
        return "[\n" + ",\n".join(pad + to_json(inner, depth + 1) for inner in value) + "\n" + " " * depth + "]"
    return json.dumps(value, allow_nan=False)
