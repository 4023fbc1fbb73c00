"""What a fitted learner remembers of the rows it was trained on, so that they are recognized later.

* `row_sketch`: the smallest hashes of the training rows, which take 32 kB at most.
* `fit_frames`: which table a running fit learns from, and which rows a learner is asked about.
"""

from certus.base.training_rows.fit_frames import TRAINING_ROWS, choosing_by_rows, fitting, predicting, saw_table
from certus.base.training_rows.row_sketch import RowSketch

__all__ = ["TRAINING_ROWS", "RowSketch", "choosing_by_rows", "fitting", "predicting", "saw_table"]


def __dir__() -> list[str]:
    return __all__
