"""What one does with a model, as functions: certify, compare, plan, select."""

from certus.verbs.certify import certify
from certus.verbs.compare import compare
from certus.verbs.plan import plan
from certus.verbs.select import select

__all__ = ["certify", "compare", "plan", "select"]
