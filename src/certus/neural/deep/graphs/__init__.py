"""Graphs as they are given, checked, and as networks take them."""
