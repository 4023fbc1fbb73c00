"""The verdict of a study, as a value and in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from certus.guarantees.records import plural
from certus.workflow.verdict.against_constants import Comparison

Word = Literal["better", "not-better", "too-few-rows"]
# How many times the test rows may have to be repeated for a perfect record to show anything.
LARGEST_MULTIPLE = 64


@dataclass(frozen=True)
class Verdict:
    """Whether the winner is better than guessing.

    Attributes
    ----------
    word : {"better", "not-better", "too-few-rows"}
        Shown to be better than always giving the same prediction; not shown; or not even a perfect record on these
        rows could have shown it.
    comparison : Comparison
        The exact comparison that decided.
    constant : str
        The constant prediction that is hardest to beat, in the words of the table.
    measure, value, baseline : str
        What is measured, and how the winner and the baseline do on the test rows, as text.
    unit : str
        What was counted: "row" or "group".
    units : int
        How many of them the test has.
    needed : int or None
        How many would have been enough for a perfect record, where these are not.
    caution : str
        Why the comparison is an estimate; empty if it is exact.
    rows : {"test", "validation"}
        Which rows were compared on; of a sealed test, validation rows.
    """

    word: Word
    comparison: Comparison
    constant: str
    measure: str
    value: str
    baseline: str
    unit: str
    units: int
    needed: int | None = None
    caution: str = ""
    rows: str = "test"

    @property
    def headline(self) -> str:
        """The sentence that comes first."""
        return f"{self._found} ({self.caution}: an estimate, no guarantee)" if self.caution else self._found

    @property
    def _found(self) -> str:
        if self.word == "better":
            return "Better than guessing"
        if self.word == "too-few-rows":
            enough = "" if self.needed is None else f"; at least {self.needed} would be needed"
            return f"Too few {self.rows} rows to tell anything: {plural(self.units, self.unit)}{enough}"
        return f"Not shown to be better than always answering {self.constant}"

    @property
    def reason(self) -> str:
        """What the sentence rests on."""
        told, where = self.comparison, plural(self.units, f"{self.rows} {self.unit}")
        values = f"{self.measure} {self.value}, the baseline {self.baseline} on the same {where}"
        if told.wins is None or told.p_value is None:
            return f"{values}; by {told.test}"
        beaten = f"it beats always answering {self.constant} on {told.wins} and loses on {told.losses} of them"
        return f"{values}; {beaten} (p = {told.p_value:.2g} by {told.test})"

    def __str__(self) -> str:
        return f"{self.headline}: {self.reason}."

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values."""
        facts = asdict(self.comparison)
        facts["constant"] = self.constant
        told = {"headline": self.headline, "reason": self.reason, "rows": self.rows}
        return {**told, "unit": self.unit, "units": self.units, **facts}


@dataclass(frozen=True)
class ClusterVerdict(Verdict):
    """Whether there are groups at all; ``told`` says against what they were held."""

    told: str = ""

    @property
    def _found(self) -> str:
        return "Groups that are more than chance" if self.word == "better" else "Not shown that there are any groups"

    @property
    def reason(self) -> str:
        return self.told


def decide(found: Comparison, improved: bool, perfect: Callable[[int], Comparison]) -> tuple[Word, int | None]:
    """The word, and by how much the test would have to grow where it is too small.

    Parameters
    ----------
    found : Comparison
        The winner against the hardest constant.
    improved : bool
        Whether its measure is better than the baseline's.
    perfect : callable
        The comparison of a perfect record on so many copies of the test rows.
    """
    if found.shown and improved:
        return "better", None
    if perfect(1).shown:
        return "not-better", None
    multiple = 2
    while multiple < LARGEST_MULTIPLE and not perfect(multiple).shown:
        multiple *= 2
    while multiple > 2 and perfect(multiple - 1).shown:  # doubling may have overshot by little only
        multiple -= 1
    return "too-few-rows", multiple if multiple < LARGEST_MULTIPLE else None
