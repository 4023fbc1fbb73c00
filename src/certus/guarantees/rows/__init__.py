"""What is known about rows: whether a model was trained on them, and which set of rows a certificate is about.

* `row_hashes`: a 64-bit hash per row of any table; `fingerprints`: 256 bits for a set of rows, in whatever order.
* `training_overlap`: the exact test for rows that a model was trained on; `looks`: who looked at which rows before.
"""

from certus.guarantees.rows.fingerprints import HashedRows, example_digests, fingerprint, table_hashes
from certus.guarantees.rows.looks import Look, LookStore, look_at, user_store
from certus.guarantees.rows.row_hashes import cell_hashes, column_keys, row_hashes
from certus.guarantees.rows.training_overlap import (
    Overlap,
    TrainingRowsError,
    Watch,
    have_rows_in_common,
    judged_report,
    unpromised,
    watch_rows,
    watching,
)

__all__ = [
    "HashedRows",
    "Look",
    "LookStore",
    "Overlap",
    "TrainingRowsError",
    "Watch",
    "cell_hashes",
    "column_keys",
    "example_digests",
    "fingerprint",
    "have_rows_in_common",
    "judged_report",
    "look_at",
    "row_hashes",
    "table_hashes",
    "unpromised",
    "user_store",
    "watch_rows",
    "watching",
]


def __dir__() -> list[str]:
    return __all__
