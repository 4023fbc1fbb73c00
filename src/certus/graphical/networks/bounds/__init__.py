"""Bounds and estimates where exact inference costs too much."""
