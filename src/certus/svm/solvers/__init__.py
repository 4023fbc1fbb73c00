"""The quadratic problems of the machines, and the methods that solve them."""
