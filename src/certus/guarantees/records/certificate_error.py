"""The one error that says: this certificate cannot be trusted."""


class CertificateError(ValueError):
    """A certificate is malformed, or re-deriving it does not give what it claims."""
