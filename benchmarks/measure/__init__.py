"""The harness: fresh processes, rotating order, equal quality, one record."""
