"""Statistics that merge, and maximum likelihood."""
