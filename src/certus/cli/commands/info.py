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
    from certus.base.persistence import describe_file, load

    facts = describe_file(model) | _facts_of_study(load(model))
    if json:
        print_json(facts)
    else:
        print_text(_text(facts))


def _facts_of_study(model: Any) -> dict[str, Any]:
    """What the model of a study knows about itself; its own certificates, without those of its parts."""
    labels = getattr(model, "classes_", None)
    own = getattr(model, "report_", None)
    return {
        "target": getattr(model, "target_", None),
        "labels": None if labels is None else labels.tolist(),
        "about": list(getattr(model, "about_", [])),
        "own_certificates": None if own is None else [item.to_dict() for item in own],
    }


def _text(facts: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    lines = [
        f"{facts['file']}: {facts['class']}, {facts['bytes']} bytes, schema {facts['schema']}",
        f"written with {versions}",
        f"parts: {', '.join(facts['classes'])}",
    ]
    if facts["target"]:
        lines.append(f"target: {facts['target']}")
    if facts["labels"] is not None:
        lines.append(f"labels: {', '.join(map(str, facts['labels']))}")
    lines += facts["about"]
    if facts["columns"] is not None:
        lines.append(f"columns: {', '.join(facts['columns'])}")
    if facts["training_rows"]:
        keepers = ", ".join(facts["training_rows"])
        lines.append(f"CONTAINS TRAINING ROWS (in {keepers}): share the file only where the data may go")
    else:
        lines.append("contains no training rows")
    shown = facts["own_certificates"] or facts["certificates"]
    proven = [item for item in shown if item["kind"] != "estimate"]
    lines += [f"certificate: {item['claim']}" for item in proven]
    lines += [f"estimate: {item['claim']}" for item in shown if item["kind"] == "estimate"]
    if (parts := len(facts["certificates"]) - len(shown)) > 0:
        lines.append(f"{parts} more certificates of its parts (--json shows them)")
    return "\n".join(lines if shown else [*lines, "no certificates"])
