"""Turning the columns of a table into numbers, learned on training rows only, saved inside the model."""

from certus.workflow.encoding.table_encoder import TableEncoder

__all__ = ["TableEncoder"]
