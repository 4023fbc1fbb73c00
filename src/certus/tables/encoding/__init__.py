"""Turning the columns of a table into numbers, learned on training rows only, saved inside the model."""

from certus.tables.encoding.numbers import as_floats
from certus.tables.encoding.table_encoder import TableEncoder

__all__ = ["TableEncoder", "as_floats"]
