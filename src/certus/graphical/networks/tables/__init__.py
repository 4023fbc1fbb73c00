"""Tables of probabilities and tables of rows, as arrays."""
