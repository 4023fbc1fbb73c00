"""Finding the nearest rows: metrics, indexes, and the choice between them."""
