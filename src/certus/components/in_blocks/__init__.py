"""Components of rows in blocks, from their scatter matrix."""
