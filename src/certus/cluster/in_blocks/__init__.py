"""Clusters of rows in blocks."""
