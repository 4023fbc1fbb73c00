"""How leading directions of a table are found."""
