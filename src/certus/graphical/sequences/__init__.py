"""Reading sequences: one table with lengths, a list, or a stream that is read again for every pass."""
