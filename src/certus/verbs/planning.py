"""The verb `plan`: how many labeled rows does a promise need."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from certus.guarantees import HypothesisClass
from certus.guarantees.holdout import row_planning
from certus.guarantees.records import (
    check_confidence,
    check_count,
    check_errors_and_rows,
    confidence_percent,
    count,
    failure_of,
    percent,
)
from certus.verbs.class_planning import ClassPlan


class RowsPerErrors(Sequence[int]):
    """rows[k]: rows needed when k errors will be seen. Computed when asked for; the length is unlimited."""

    def __init__(self, target: float, delta: float) -> None:
        self._target, self._delta = target, delta

    @overload
    def __getitem__(self, errors: int) -> int: ...
    @overload
    def __getitem__(self, errors: slice) -> list[int]: ...
    def __getitem__(self, errors: int | slice) -> int | list[int]:
        """Rows needed for that many errors, or a list of them for a slice with an end."""
        if isinstance(errors, slice):
            if errors.stop is None:
                raise ValueError("a slice of rows must have an end, got none.\nHint: rows[:10].")
            return [self[k] for k in range(errors.stop)[errors]]
        return row_planning.rows_for_errors(check_count(errors, "errors"), self._target, self._delta)

    def __len__(self) -> int:
        return 2**31

    def __iter__(self) -> Iterator[int]:
        errors = 0
        while True:
            yield self[errors]
            errors += 1


@dataclass(frozen=True)
class Plan:
    """Rows needed to certify an error of at most `error` with `confidence`.

    Attributes
    ----------
    rows : sequence of int
        rows[k] is the number of rows with which k errors still certify the target.
    true_error : float or None
        What the error is expected to be; the chance of success is computed for it.
    """

    error: float
    confidence: float
    true_error: float | None = None

    @property
    def rows(self) -> RowsPerErrors:
        """rows[k]: rows needed when k errors will be seen."""
        return RowsPerErrors(self.error, failure_of(self.confidence))

    def errors_allowed(self, rows: int) -> int:
        """Most errors on `rows` rows that still certify the target; -1 if not even none does."""
        return row_planning.errors_allowed(check_count(rows, "rows", 1), self.error, failure_of(self.confidence))

    def chance(self, rows: int, true_error: float | None = None) -> float:
        """Probability that `rows` fresh rows will certify the target, if the error is `true_error`."""
        rows = check_count(rows, "rows", minimum=1)
        return row_planning.chance_of_success(rows, self.error, failure_of(self.confidence), self._expected(true_error))

    def rows_for(self, chance: float = 0.8, true_error: float | None = None) -> int | None:
        """Fewest rows that certify the target with probability `chance`; None if the error is too high."""
        check_confidence(chance, "chance")
        delta = failure_of(self.confidence)
        return row_planning.rows_for_chance(chance, self.error, delta, self._expected(true_error))

    def _expected(self, true_error: float | None) -> float:
        expected = self.true_error if true_error is None else true_error
        if expected is None or not 0.0 <= expected <= 1.0:
            raise ValueError(
                f"true_error must be a number from 0 to 1, got {expected!r}.\n"
                "Hint: plan(..., true_error=0.01), or pilot=(errors, rows) from an earlier look."
            )
        return float(expected)

    def table(self, errors: int = 5) -> list[dict[str, Any]]:
        """One line per number of errors: errors, rows and, if an error is expected, the chance of success."""
        lines = []
        for k in range(errors + 1):
            line: dict[str, Any] = {"errors": k, "rows": self.rows[k]}
            if self.true_error is not None:
                line["chance"] = self.chance(line["rows"])
            lines.append(line)
        return lines

    def to_dict(self, errors: int = 5) -> dict[str, Any]:
        """Plain values for machines."""
        record: dict[str, Any] = {"error": self.error, "confidence": self.confidence, "table": self.table(errors)}
        if self.true_error is not None:
            record["true_error"] = self.true_error
            record["rows_for"] = {"0.8": self.rows_for(0.8), "0.9": self.rows_for(0.9)}
        return record

    @property
    def goal(self) -> str:
        """What the rows are for, in words."""
        level = confidence_percent(self.confidence)
        return f"To certify an error of at most {percent(self.error)} with confidence {level} on fresh rows:"

    def __str__(self) -> str:
        lines = [self.goal]
        for line in self.table():
            remark = f"   chance {line['chance']:.0%}" if "chance" in line else ""
            lines.append(f"  {line['errors']} errors: {count(line['rows']):>9} rows{remark}")
        if self.true_error is not None:
            for chance in (0.8, 0.9):
                found = self.rows_for(chance)
                phrase = "no number of rows" if found is None else f"{count(found)} rows"
                lines.append(f"  if the true error is {percent(self.true_error)}: {phrase} for a {chance:.0%} chance")
        return "\n".join(lines)

    def plot(self, ax: Any = None, *, errors: int = 20) -> Any:
        """Draw errors allowed, and the chance of success if an error is expected, against rows."""
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots()
        rows = [self.rows[k] for k in range(errors + 1)]
        ax.step(rows, range(errors + 1), where="post", label="errors allowed")
        ax.set(xlabel="fresh labeled rows", ylabel="errors allowed", title=f"error at most {percent(self.error)}")
        if self.true_error is not None:
            twin = ax.twinx()
            twin.plot(rows, [self.chance(n) for n in rows], "--", color="tab:orange", label="chance")
            twin.set(ylabel=f"chance of success at true error {percent(self.true_error)}", ylim=(0, 1))
        return ax


@overload
def plan(
    error: float, confidence: float = 0.95, *, true_error: float | None = None, pilot: tuple[int, int] | None = None
) -> Plan: ...
@overload
def plan(error: float, confidence: float = 0.95, *, hypotheses: int, setting: str = "realizable") -> ClassPlan: ...
@overload
def plan(error: float, confidence: float = 0.95, *, vc_dimension: int | HypothesisClass) -> ClassPlan: ...
def plan(
    error: float,
    confidence: float = 0.95,
    *,
    true_error: float | None = None,
    pilot: tuple[int, int] | None = None,
    hypotheses: int | None = None,
    vc_dimension: int | HypothesisClass | None = None,
    setting: str = "realizable",
) -> Plan | ClassPlan:
    """How many labeled rows are needed to promise an error of at most `error`.

    Inverts the exact test-set bound: rows[k] is the smallest n with P(Binomial(n, error) <= k) <= 1 - confidence.
    With `hypotheses` or `vc_dimension` it asks instead how many training rows the whole class needs, without any
    held-out rows; such numbers are far larger.

    Parameters
    ----------
    error : float
        The error to be promised, strictly between 0 and 1.
    confidence : float, default=0.95
        Confidence of the promise.
    true_error : float, optional
        The error that the model is expected to have; adds the chance of success.
    pilot : (errors, rows), optional
        An earlier look at other rows, from which the expected error is estimated. The planned rows must be fresh
        ones: a bound for a fixed number of rows does not hold if one goes on until it looks good.
    hypotheses : int, optional
        Size of a finite class of hypotheses.
    vc_dimension : int or HypothesisClass, optional
        VC dimension of a class, or an entry of `certus.guarantees.hypothesis_classes`.
    setting : {"realizable", "uniform", "agnostic"}, default="realizable"
        With `hypotheses`: a hypothesis without training errors has at most that error; all training errors are that
        close to the true ones; the best on the training rows is that close to the best there is.

    Returns
    -------
    Plan, or ClassPlan for a class of hypotheses

    Examples
    --------
    >>> found = plan(error=0.03, confidence=0.95, true_error=0.01)
    >>> found.rows[:3], found.rows_for(0.8)
    ([99, 157, 208], 303)
    >>> plan(error=0.05, confidence=0.99, hypotheses=1000, setting="agnostic").rows
    9765
    """
    check_confidence(error, "error")
    check_confidence(confidence)
    if hypotheses is not None or vc_dimension is not None:
        if true_error is not None or pilot is not None:
            raise ValueError("true_error and pilot must not be given for a class of hypotheses.")
        return ClassPlan(float(error), float(confidence), hypotheses, vc_dimension, setting)
    if pilot is not None:
        if true_error is not None:
            raise ValueError("at most one of true_error and pilot must be given, got both.")
        try:
            seen_errors, seen_rows = pilot
        except (TypeError, ValueError):
            raise ValueError(f"pilot must be a pair (errors, rows), got {pilot!r}.") from None
        wrong, rows = check_errors_and_rows(seen_errors, seen_rows)
        true_error = wrong / rows
    if true_error is not None and not 0.0 <= true_error <= 1.0:
        raise ValueError(f"true_error must be a number from 0 to 1, got {true_error!r}.")
    return Plan(float(error), float(confidence), true_error)
