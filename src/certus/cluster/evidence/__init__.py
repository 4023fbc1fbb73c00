"""Lower bounds on the cost of any clustering."""
