"""Tables in Markdown."""


def table(head: list[str], rows: list[list[str]]) -> str:
    """A head, the line below it, and the rows."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
