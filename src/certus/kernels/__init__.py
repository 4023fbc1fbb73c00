"""Kernels, their algebra, and learners in the space of functions they span."""
