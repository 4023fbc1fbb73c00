"""What is certified about networks: gradients, gaps, margins, posteriors."""
