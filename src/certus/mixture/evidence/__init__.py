"""What is certified about a mixture: how little another step would gain."""
