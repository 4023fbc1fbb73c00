"""Columns of numbers and labels as states of a network."""
