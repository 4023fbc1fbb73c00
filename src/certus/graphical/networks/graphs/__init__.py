"""Directed graphs without cycles: orders, separation, equivalence."""
