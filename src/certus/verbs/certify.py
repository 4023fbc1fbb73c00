"""The verb `certify`: how wrong can this model, or these predictions, be."""

from certus.guarantees.certify import certify

__all__ = ["certify"]
