"""What mixtures share."""
