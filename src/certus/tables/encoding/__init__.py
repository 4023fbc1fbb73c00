"""Turning the columns of a table into numbers, learned on training rows only, saved inside the model."""

from certus.tables.encoding.table_encoder import TableEncoder
from certus.tables.entries import as_floats

__all__ = ["TableEncoder", "as_floats"]
