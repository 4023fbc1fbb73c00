"""Reading tables of every usual kind, the types of their columns, and their encoding as numbers."""

from certus.tables.chunks import read_chunks
from certus.tables.encoding import TableEncoder, as_floats
from certus.tables.entries import moments_of
from certus.tables.label_columns import label_matrix, labels_of, two_values
from certus.tables.learned_types import as_learned, without_absurd
from certus.tables.read import READABLE, STANDARD_INPUT, check_file, read_query, read_table, readable_twice
from certus.tables.table_error import TableError
from certus.tables.type_names import type_in_words

__all__ = [
    "READABLE",
    "STANDARD_INPUT",
    "TableEncoder",
    "TableError",
    "as_floats",
    "as_learned",
    "check_file",
    "label_matrix",
    "labels_of",
    "moments_of",
    "read_chunks",
    "read_query",
    "read_table",
    "readable_twice",
    "two_values",
    "type_in_words",
    "without_absurd",
]


def __dir__() -> list[str]:
    return __all__
