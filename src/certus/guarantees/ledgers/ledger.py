"""The account of a learner that predicts one trial at a time.

Three things that are never mixed: realized regret (a count), a worst-case bound on it (a theorem evaluated on what was
observed so far, valid now), and risk (what the losses say about losses to come, if these are like them).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from certus.guarantees.ledgers import ledger_certificates
from certus.guarantees.ledgers.line import Line, Void
from certus.guarantees.ledgers.replay import replayed
from certus.guarantees.records.bound_arguments import check_choice, check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.json_document import JsonDocument
from certus.guarantees.records.plain_values import decode, encode, freeze
from certus.guarantees.records.report import Report

KINDS = ("exact", "expectation", "probable", "anytime")
AGREEMENT = 1e-9  # relative; a twin adds in another order


@dataclass(kw_only=True)
class Ledger(JsonDocument):
    """What an online learner paid, against the best in hindsight and against the worst case.

    Parameters
    ----------
    learner : str
        The name ``family/learner`` of the slow twin that `check` replays the stream with.
    settings : dict
        What the twin needs to know besides the stream: parameters, seeds, priors.
    trials : int
        How many trials there were.
    loss : float
        What the learner paid; the expected payment if `kind` is "expectation".
    mistakes : int, optional
        How many of its predictions were wrong.
    lines : tuple of Line
        Comparisons with their bounds, the main one first.
    risk : tuple of Certificate, default=()
        What is known about losses to come.
    kind : {"exact", "expectation", "probable", "anytime"}, default="exact"
        How the bounds hold: always; for the expected loss of a randomized rule; with `confidence`, for a fixed
        number of trials or at every one.
    confidence : float, default=1.0
        Below 1 for "probable" and "anytime".
    looks : int, default=0
        How often `report` was asked for.
    void : list of Void
        Bounds that fell, each with the trial and the reason.

    Attributes
    ----------
    comparator, regret, bound : float or None
        Of the first line that is about regret.
    mistake_bound : float or None
        Of the first line about mistakes.

    Examples
    --------
    >>> line = Line(loss=5.0, comparator=3.0, bound=4.5, rule="online/hedge", theorem="Hedge (1997)")
    >>> ledger = Ledger(learner="online/hedge", trials=10, loss=5.0, lines=(line,))
    >>> ledger.comparator, ledger.regret, ledger.bound
    (3.0, 2.0, 4.5)
    """

    learner: str
    trials: int
    loss: float
    settings: Mapping[str, Any] = field(default_factory=dict)
    mistakes: int | None = None
    lines: tuple[Line, ...] = ()
    risk: tuple[Certificate, ...] = ()
    kind: str = "exact"
    confidence: float = 1.0
    looks: int = 0
    void: list[Void] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_count(self.trials, "trials", minimum=0)
        check_choice(self.kind, "kind", KINDS)
        self.loss = float(self.loss)
        if math.isnan(self.loss):
            raise ValueError("loss must be a number, got nan.")
        self.settings = freeze(self.settings, "settings")
        self.lines, self.risk = tuple(self.lines), tuple(self.risk)

    def line(self, quantity: str) -> Line:
        """The comparison that is called so."""
        for line in self.lines:
            if line.quantity == quantity:
                return line
        known = ", ".join(line.quantity for line in self.lines) or "none"
        raise KeyError(f"no line is called {quantity!r}; this ledger has {known}")

    def switching(self, switches: int) -> Line:
        """The comparison with the best sequence of experts that changes the expert at most so often."""
        try:
            return self.line(switching_quantity(switches))
        except KeyError as error:
            raise ValueError(
                f"no line compares with {switches!r} switches.\n"
                "Hint: share rules keep the lines up to their parameter switches."
            ) from error

    def _first(self, *, mistakes: bool) -> Line | None:
        return next((line for line in self.lines if line.counts_mistakes == mistakes), None)

    @property
    def comparator(self) -> float | None:
        """What the best competitor of the main line would have paid."""
        line = self._first(mistakes=False)
        return None if line is None else line.comparator

    @property
    def regret(self) -> float | None:
        """Realized regret of the main line."""
        line = self._first(mistakes=False)
        return None if line is None else line.regret

    @property
    def bound(self) -> float | None:
        """Worst-case bound on the regret of the main line; infinite once it is void."""
        line = self._first(mistakes=False)
        return None if line is None else line.bound

    @property
    def mistake_bound(self) -> float | None:
        """Worst-case bound on `mistakes`; infinite once it is void."""
        line = self._first(mistakes=True)
        return None if line is None else line.comparator + line.bound

    def voided(self, trial: int, reason: str) -> Self:
        """The account after a loss outside its range: bounds that rest on the range fall, all else stays."""
        falling = [line.quantity for line in self.lines if line.needs_range and math.isfinite(line.bound)]
        return replace(
            self,
            lines=tuple(line.without_bound() if line.needs_range else line for line in self.lines),
            void=[*self.void, *(Void(quantity, trial, reason) for quantity in falling)],
        )

    def report(self) -> Report:
        """The certificates: realized regret, its bound and the risk, apart from each other."""
        self.looks += 1
        return Report([*ledger_certificates.of_lines(self), *self.risk])

    def check(self, data: Any = None) -> bool:
        """Derive every bound again; with the stream, replay it through a slow readable twin and compare all numbers.

        Parameters
        ----------
        data : optional
            The stream, in the form that the learner's ``run`` takes.

        Returns
        -------
        bool
            True; anything that disagrees is a `CertificateError`.
        """
        for certificate in (*ledger_certificates.of_lines(self), *self.risk):
            certificate.check()
        if data is not None:
            self._compare(replayed(self.learner, self.settings, data))
        return True

    def _compare(self, replay: "Ledger") -> None:
        told, found = _numbers(self), _numbers(replay)
        if told.keys() != found.keys():
            odd = ", ".join(sorted(told.keys() ^ found.keys()))
            raise CertificateError(f"the ledger and its twin have different lines: {odd}.")
        for name, value in told.items():
            if not _close(value, found[name], max(1.0, abs(self.loss))):
                raise CertificateError(
                    f"{name}: the ledger states {value!r}, the replayed stream gives {found[name]!r}."
                )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        plain = ("learner", "trials", "mistakes", "kind", "confidence", "looks")
        return {
            **{name: getattr(self, name) for name in plain},
            "loss": encode(self.loss),
            "settings": encode(self.settings),
            "lines": [line.to_dict() for line in self.lines],
            "risk": [certificate.to_dict() for certificate in self.risk],
            "void": [vars(fallen) for fallen in self.void],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; anything malformed is a `CertificateError`."""
        if not isinstance(record, Mapping):
            raise CertificateError(f"a ledger must be a JSON object, got {type(record).__name__}.")
        try:
            given = dict(record)
            given["loss"] = decode(given["loss"], "loss")
            given["settings"] = decode(given["settings"], "settings")
            given["lines"] = tuple(map(Line.from_dict, given["lines"]))
            given["risk"] = tuple(map(Certificate.from_dict, given["risk"]))
            given["void"] = [Void(**fallen) for fallen in given["void"]]
            return cls(**given)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CertificateError(f"malformed ledger: {error!r}") from error


def switching_quantity(switches: int) -> str:
    """The name of the line that compares with sequences of so many switches."""
    return f"regret against {switches} switch{'' if switches == 1 else 'es'}"


def _numbers(ledger: Ledger) -> dict[str, float]:
    numbers = {"trials": float(ledger.trials), "loss": ledger.loss, "void": float(len(ledger.void))}
    if ledger.mistakes is not None:
        numbers["mistakes"] = float(ledger.mistakes)
    for line in ledger.lines:
        for name in ("loss", "comparator", "bound", "since"):
            numbers[f"{name} of the line {line.quantity!r}"] = float(getattr(line, name))
    return numbers


def _close(told: float, found: float, scale: float) -> bool:
    if math.isinf(told) or math.isinf(found):
        return told == found
    return abs(told - found) <= AGREEMENT * max(scale, abs(told), abs(found))
