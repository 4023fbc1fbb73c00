"""Runs scikit-learn's installed test files with its public classes swapped for ours."""
