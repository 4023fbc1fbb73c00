"""``certus learners``: the catalogue."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from certus.cli import options
from certus.cli.output import print_json, print_table

Task = Literal[
    "classification", "regression", "clustering", "transformation", "density", "search", "experts", "bandits"
]


def command(
    task: Annotated[Task | None, typer.Option(help="Only learners for this task.")] = None,
    json: options.Json = False,
) -> None:
    """List the catalogue of learners: what each is for, what it can promise, what it costs."""
    from certus.base import catalogue

    found = catalogue.entries(task)
    if json:
        print_json([entry.to_dict() for entry in found])
        return
    rows = [(entry.path, ", ".join(entry.tasks), entry.summary, ", ".join(entry.guarantees)) for entry in found]
    print_table(("learner", "tasks", "what it is", "guarantees"), rows)
