"""Mixtures of rows in blocks."""
