"""Reading tables: files of every usual kind, standard input, databases, and any data frame."""

from certus.workflow.tables.chunks import read_chunks
from certus.workflow.tables.read import read_query, read_table

__all__ = ["read_chunks", "read_query", "read_table"]
