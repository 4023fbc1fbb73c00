"""The only callers of the compiled module in this family: they allocate the outputs."""
