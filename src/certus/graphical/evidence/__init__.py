"""What is certified about a hidden Markov model: the ascent of its likelihood, and its most probable paths."""
