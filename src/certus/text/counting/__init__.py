"""Counting terms, and which of them become columns."""
