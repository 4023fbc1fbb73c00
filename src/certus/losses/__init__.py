"""Losses and penalties: value, derivative, conjugate, constants, range."""
