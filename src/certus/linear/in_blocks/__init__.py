"""Fits to rows in blocks: the local problems and evidence, with sums over blocks in place of sums over rows."""
