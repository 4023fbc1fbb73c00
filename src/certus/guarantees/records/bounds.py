"""Many bounds of one kind: one record for all, each of them a certificate that can be checked."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError


class Bounds(ABC):
    """Bounds of the same kind, each at the same confidence.

    Attributes
    ----------
    values : array of shape (bounds,), or (bounds, 2) for side="both"
        The bounds.
    """

    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    @abstractmethod
    def __getitem__(self, place: int) -> Certificate:
        """The certificate of one bound."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The record of all bounds as plain values."""

    def __iter__(self) -> Iterator[Certificate]:
        return (self[place] for place in range(len(self)))

    def check(self) -> bool:
        """Derive every bound again by its second route; the first that fails raises `CertificateError`."""
        for place, value in enumerate(self.values):
            certificate = self[place]
            if not np.array_equal(np.asarray(certificate.value), value):
                raise CertificateError(f"{certificate.quantity}: bound {place} is not the one of its record.")
            certificate.check()
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} bounds>"
