"""Conjugate models: a prior, the rows seen so far, and what follows from both in closed form."""
