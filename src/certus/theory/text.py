"""Results of laboratories as plain text."""

from collections.abc import Iterable, Sequence


def aligned(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with right-aligned columns; numbers with four significant digits.

    Examples
    --------
    >>> print(aligned(["rows", "error"], [[10, 0.25], [1000, 0.031254]]))
    rows    error
      10     0.25
    1000  0.03125
    """
    cells = [list(head), *([f"{v:.4g}" if isinstance(v, float) else str(v) for v in row] for row in rows)]
    widths = [max(len(line[j]) for line in cells) for j in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells)
