"""Exact inference: evidence, the plan, messages between cliques."""
