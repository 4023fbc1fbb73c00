"""Classifiers whose mistakes are bounded in terms of the best linear separator in hindsight."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from certus.base.inputs import WeightsLike
from certus.guarantees.ledgers import Line
from certus.online.evidence import mistake_lines
from certus.online.evidence.hindsight import Hindsight, hindsight, hinge_losses, separators
from certus.online.learning.stream_classifier import StreamClassifier


class MistakeClassifier(StreamClassifier):
    """Online classifier with a bound on its mistakes."""

    audited_: dict[str, Any]

    def audit(self, X: Any, y: Any, sample_weight: WeightsLike = None) -> Self:
        """Look for the competitor that bounds the mistakes best, on the stream that was learned.

        Parameters
        ----------
        X, y : table and labels
            All trials since the learner was new, in their order.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights.

        Returns
        -------
        self
            Its `ledger_` has the bound from now on.
        """
        self._audit(X, np.asarray(y), sample_weight)
        return self

    def _audit(self, X: Any, y: Any, sample_weight: WeightsLike = None) -> None:
        """Of several labels, a mistake is one of at least one label against the rest: the bounds are added."""
        parts, wrong = [], 0
        for stream in hindsight(self, X, y, sample_weight):
            tried = [self._facts(stream, u) for u in self._competitors(stream)]
            parts.append(min(tried, key=lambda facts: self._line([facts], 0.0).bound))
            wrong += int(np.sum(stream.targets * stream.scores <= 0.0))
        unknown = max(0.0, float(self.state_.number("mistakes")[0]) - wrong)
        self.audited_ = {"trials": float(self._trials()), "unknown": unknown, "parts": parts}
        self.__dict__.pop("_ledger", None)

    def _competitors(self, stream: Hindsight) -> list[Any]:
        wrong = stream.part(self._counted(stream))
        return separators(wrong) if len(wrong.targets) else [np.zeros(stream.rows.shape[1])]

    def _counted(self, stream: Hindsight) -> Any:
        """The trials on which the competitor's loss counts: the perceptron does not see the others."""
        wrong = stream.targets * stream.scores <= 0.0
        return wrong if self._rule() == "perceptron" else np.ones_like(wrong)

    def _facts(self, stream: Hindsight, u: Any) -> dict[str, float]:
        part = stream.part(self._counted(stream))
        losses = hinge_losses(part, u)
        squared = self._settings().get("squared", False)
        lengths = np.maximum(part.lengths(), 1e-300) * max(float(np.linalg.norm(u)), 1e-300)
        margins = part.targets * (part.rows @ u) / lengths
        return {
            "margin": float(margins.min(initial=np.inf)) * (1.0 - 1e-12),
            "radius": float(part.lengths().max(initial=0.0)),
            "norm": float(np.linalg.norm(u)),
            "hinge": float((losses**2).sum() if squared else losses.sum()),
        }

    def _line(self, parts: list[dict[str, float]], unknown: float) -> Line:
        mistakes = float(self.state_.number("mistakes")[0])
        settings = self._settings()
        if self._rule() == "perceptron":
            return mistake_lines.perceptron_line(mistakes, parts, unknown)
        if self._rule() == "romma":
            return mistake_lines.separated_line(mistakes, parts, unknown)
        if self._rule() == "alma":
            return mistake_lines.alma_line(mistakes, settings["threshold"], [part["margin"] for part in parts], unknown)
        return mistake_lines.passive_line(mistakes, settings["eta"], parts, unknown, squared=settings["squared"])

    def _lines(self) -> tuple[Any, ...]:
        audited = vars(self).get("audited_")
        if audited is None or audited["trials"] != self._trials():
            return ()
        return (self._line(audited["parts"], audited["unknown"]),)
