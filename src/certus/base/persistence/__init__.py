"""Saved models: a zip of JSON and plain arrays. Nothing in a file is ever executed."""

from certus.base.persistence.errors import CertusFileError
from certus.base.persistence.files import describe_file, load, read_manifest, save, write_model
from certus.base.persistence.state import check_shapes

__all__ = ["CertusFileError", "check_shapes", "describe_file", "load", "read_manifest", "save", "write_model"]
