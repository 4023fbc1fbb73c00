"""Densities per class that `BayesClassifier` knows by name."""
