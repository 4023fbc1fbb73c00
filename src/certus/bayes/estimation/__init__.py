"""Moments of the rows of each class."""
