"""Sequences of tokens as numbers."""
