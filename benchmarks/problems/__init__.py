"""The problems: seeded tables, and how good an answer to them is."""
