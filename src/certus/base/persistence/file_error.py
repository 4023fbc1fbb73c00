"""The one error of saving and loading, which the layer below defines."""

from certus.guarantees.records import CertusFileError

__all__ = ["CertusFileError"]
