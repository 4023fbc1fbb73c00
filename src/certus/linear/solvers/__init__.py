"""Methods that minimize the problems of linear models."""
