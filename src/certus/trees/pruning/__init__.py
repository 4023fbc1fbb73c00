"""Cost-complexity pruning."""

from certus.trees.pruning.cost_complexity import prune

__all__ = ["prune"]
