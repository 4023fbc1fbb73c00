"""Reading tables of every usual kind, the types of their columns, and their encoding as numbers."""

from certus.tables.chunks import read_chunks
from certus.tables.encoding import TableEncoder, as_floats
from certus.tables.read import read_query, read_table
from certus.tables.table_error import TableError

__all__ = ["TableEncoder", "TableError", "as_floats", "read_chunks", "read_query", "read_table"]


def __dir__() -> list[str]:
    return __all__
