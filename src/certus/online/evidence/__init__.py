"""What is certified about streams: bounds evaluated on what was observed, and the best in hindsight."""
