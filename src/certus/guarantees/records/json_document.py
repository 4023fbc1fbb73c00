"""Records as JSON documents."""

import json
from typing import Any, Self

from certus.guarantees.records.certificate_error import CertificateError


class JsonDocument:
    """Mixin for what has `to_dict` and `from_dict`."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        raise NotImplementedError

    @classmethod
    def from_dict(cls, record: Any) -> Self:
        """Inverse of `to_dict`."""
        raise NotImplementedError

    def to_json(self, indent: int | None = None) -> str:
        """Everything as a JSON document."""
        return json.dumps(self.to_dict(), allow_nan=False, indent=indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Inverse of `to_json`."""
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise CertificateError(f"not a JSON document: {error}") from error
        return cls.from_dict(record)
