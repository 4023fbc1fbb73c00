"""Densities of single columns per class, which can be updated."""
