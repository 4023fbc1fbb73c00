"""Comparisons of Certus with its peers: time, memory and quality side by side."""
