"""The one error of writing and reading files."""


class CertusFileError(ValueError):
    """A model cannot be written to a file, or a file cannot be read as what it should be."""
