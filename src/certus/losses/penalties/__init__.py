"""Penalties: convex functions of the coefficients."""
