"""Fits to rows in blocks: statistics per class, merged."""
