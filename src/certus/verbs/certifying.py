"""`certify`: what a model gets wrong, from rows that it has never seen, in one table or in blocks."""

from __future__ import annotations

import functools
from typing import Any

from certus.base.blocks import answered
from certus.guarantees import Report, holdout


@functools.wraps(holdout.certify)
def certify(model: Any = None, X: Any = None, y: Any = None, **options: Any) -> Report:
    """Bound what a model gets wrong; the documentation is that of the function for rows at hand."""
    return holdout.certify(*answered(model, X, y), **options)
