"""The one error of saving and loading."""


class CertusFileError(ValueError):
    """A model cannot be written to a file, or a file cannot be read as a model."""
