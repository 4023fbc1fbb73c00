"""Machinery of Bayesian networks: graphs, tables, files, exact inference, bounds."""
