"""The structure of a network from rows: scores of families, searches, tests, bounds."""
