"""``certus info``: what is in a file."""

from __future__ import annotations

from typing import Any

from certus.cli import options
from certus.cli.output import print_json, print_text


def command(
    model: options.SavedModel,
    json: options.Json = False,
) -> None:
    """Describe a saved model: its parts, its certificates, who wrote it, whether training rows are in it."""
    from certus.base.persistence import describe_file

    facts = describe_file(model)
    if json:
        print_json(facts)
    else:
        print_text(_text(facts))


def _text(facts: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    lines = [
        f"{facts['file']}: {facts['class']}, {facts['bytes']} bytes, schema {facts['schema']}",
        f"written with {versions}",
        f"parts: {', '.join(facts['classes'])}",
    ]
    if facts["columns"] is not None:
        lines.append(f"columns: {', '.join(facts['columns'])}")
    if facts["training_rows"]:
        keepers = ", ".join(facts["training_rows"])
        lines.append(f"CONTAINS TRAINING ROWS (in {keepers}): share the file only where the data may go")
    else:
        lines.append("contains no training rows")
    lines += [f"certificate: {item['claim']}" for item in facts["certificates"]]
    return "\n".join(lines if facts["certificates"] else [*lines, "no certificates"])
