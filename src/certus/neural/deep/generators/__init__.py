"""Networks that make new rows: what they are trained on, and what they share."""
