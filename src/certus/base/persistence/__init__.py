"""Saved models: a zip of JSON and plain arrays. Nothing in a file is ever executed."""

from certus.base.persistence.arrays import read_npy
from certus.base.persistence.atomic import atomic_file, is_one_of
from certus.base.persistence.files import describe_file, load, read_manifest, save, write_model
from certus.base.persistence.restored_state import check_shapes, check_starts
from certus.guarantees.records import CertusFileError

__all__ = [
    "CertusFileError",
    "atomic_file",
    "check_shapes",
    "check_starts",
    "describe_file",
    "is_one_of",
    "load",
    "read_manifest",
    "read_npy",
    "save",
    "write_model",
]
