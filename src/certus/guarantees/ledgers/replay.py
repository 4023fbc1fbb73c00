"""Slow readable twins of online learners, by which an account is drawn up again from the stream."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from certus.guarantees.records import rules
from certus.guarantees.records.certificate_error import CertificateError

if TYPE_CHECKING:
    from certus.guarantees.ledgers.ledger import Ledger

Twin = Callable[[Mapping[str, Any], Any], "Ledger"]

_twins: dict[str, Twin] = {}


def twin(learner: str) -> Callable[[Twin], Twin]:
    """Register the function that replays `learner` from (settings, data) and returns its ledger.

    The name is ``family/learner``, so that the family can be loaded when a ledger is read from a file.
    """

    def register(function: Twin) -> Twin:
        if learner in _twins:
            raise ValueError(f"{learner!r} already has a twin.")
        _twins[learner] = function
        return function

    return register


def replayed(learner: str, settings: Mapping[str, Any], data: Any) -> "Ledger":
    """The account that the twin of `learner` keeps over the stream `data`."""
    if learner not in _twins:
        rules.load_family(learner)
    if learner not in _twins:
        raise CertificateError(
            f"no twin is registered for {learner!r}.\nHint: known are {', '.join(sorted(_twins)) or 'none'}."
        )
    return _twins[learner](settings, data)
