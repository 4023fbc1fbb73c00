"""The table as solvers see it: products, moments, units and copies of columns."""
