"""Densities, expected statistics and updates of what states emit."""
