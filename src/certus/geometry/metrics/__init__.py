"""Distances by name, and the form in which the compiled kernels take them."""
