"""The findings of a study, as values and in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from certus.workflow.findings import guards as guarding
from certus.workflow.findings import reliability as reliable
from certus.workflow.findings.alike import AlikeColumns
from certus.workflow.findings.cluster_quality import ClusterQuality
from certus.workflow.findings.clusters import Cluster
from certus.workflow.findings.comparisons import Versus
from certus.workflow.findings.density import DensityFound
from certus.workflow.findings.learning_curve import LearningCurve
from certus.workflow.findings.row_map import RowMap
from certus.workflow.findings.subgroups import Subgroup
from certus.workflow.findings.winning_network import NetworkFound


@dataclass(frozen=True)
class Findings:
    """What a study found besides its winner; None or empty where there was no time or no sense.

    Attributes
    ----------
    shortlist : list of str
        Candidates that the validation rows cannot tell from the winner.
    training_value : float
        The measure on the rows that were learned from.
    diagnosis : str
        That the model over-fits, where two intervals show it; of clusters, whether there are any.
    versus : list of Versus
        The winner against the best candidate of another kind on the test rows.
    curve : LearningCurve or None
        The measure after training on ever more rows.
    importances : dict of str to float
        Rise of the measure when a column is shuffled.
    importance_spread : dict of str to float
        Standard deviation of that rise from one shuffling to the next.
    subgroups : list of Subgroup
        Subgroups whose error is provably above that of the other rows, worst first.
    labels : list of Subgroup
        Where rows have several labels: the error of each.
    bins : list of Bin
        Predicted probabilities against what happened.
    calibration : CalibrationError or None
        How far the probabilities are from what happens, with a bound.
    guards : list of GuardedPredictions
        How sure the model must be for its predictions to be right as often as somebody needs.
    clusters : list of Cluster
        The clusters that a clustering study found.
    quality : ClusterQuality or None
        How good they are: what any others could save, their silhouettes, their tree.
    density : DensityFound or None
        Of a clustering study: the mixture of Gaussians that describes the columns of numbers best.
    network : NetworkFound or None
        Of a winner that is a Bayesian network, or has one among its parts: its graph, and why it decided so.
    row_map : RowMap or None
        The learning rows on two principal components.
    alike : AlikeColumns or None
        Which columns of numbers tell the same.
    grouped : bool
        Of a clustering study: whether its clusters are clearly tighter than those of shuffled columns.
    rows : {"test", "validation"}
        Which rows bounds and comparisons are about; of a sealed test, validation rows.
    caution : str
        Why the bounds and comparisons of test and calibration rows are estimates; empty if they are promised.
    """

    shortlist: list[str]
    training_value: float
    diagnosis: str = ""
    versus: list[Versus] = field(default_factory=list)
    curve: LearningCurve | None = None
    importances: dict[str, float] = field(default_factory=dict)
    importance_spread: dict[str, float] = field(default_factory=dict)
    subgroups: list[Subgroup] = field(default_factory=list)
    labels: list[Subgroup] = field(default_factory=list)
    bins: list[reliable.Bin] = field(default_factory=list)
    calibration: reliable.CalibrationError | None = None
    guards: list[guarding.GuardedPredictions] = field(default_factory=list)
    clusters: list[Cluster] = field(default_factory=list)
    quality: ClusterQuality | None = None
    density: DensityFound | None = None
    network: NetworkFound | None = None
    row_map: RowMap | None = None
    alike: AlikeColumns | None = None
    grouped: bool = False
    rows: str = "test"
    caution: str = ""

    def remarks(self) -> list[str]:
        """The findings that everybody should read, in words."""
        rested = self._of_held_out_rows()
        told = [f"an estimate ({self.caution}): {one}" for one in rested] if self.caution else rested
        others = len(self.shortlist) - 1
        if others > 0:
            noun = "candidate" if others == 1 else "candidates"
            told.append(f"{others} other {noun} cannot be told from the winner on the validation rows")
        return told

    def _of_held_out_rows(self) -> list[str]:
        """What test and calibration rows show."""
        told = [rival.told for rival in self.versus]
        told += self._of_probabilities()
        if self.density is not None:
            told.append(self.density.told)
        if self.guards:
            told.append(guarding.remark(self.guards))
        return told

    def _of_probabilities(self) -> list[str]:
        """How far the probabilities are off, and whether that is more than chance."""
        told = [reliable.remark(self.bins)] if self.bins else []
        if self.calibration is None or self.calibration.bound >= 1.0:
            return told
        value, bound = self.calibration.value, self.calibration.bound
        by_chance = ", which chance explains" if told == [reliable.SOUND] else ""
        shown = f"{value:.2g} on the {self.rows} rows{by_chance}, at most {bound:.2g} for new ones"
        return [*([] if by_chance else told), f"the probabilities are off by {shown} on average"]

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain values."""
        curve = None if self.curve is None else {**asdict(self.curve), "verdict": self.curve.verdict}
        return {
            "kind": "estimate" if self.caution else "probable",
            "caution": self.caution,
            "rows": self.rows,
            "shortlist": self.shortlist,
            "comparisons": [asdict(rival) for rival in self.versus],
            "learning_curve": curve,
            "importances": self.importances,
            "importance_spread": self.importance_spread,
            "subgroups": [{**asdict(group), "error": group.error} for group in self.subgroups],
            "labels": [{**asdict(label), "error": label.error} for label in self.labels],
            "calibration": [one.to_dict() for one in self.bins],
            "calibration_error": None if self.calibration is None else asdict(self.calibration),
            "guards": [asdict(one) for one in self.guards],
            "clusters": [asdict(cluster) for cluster in self.clusters],
            "cluster_quality": None if self.quality is None else self.quality.to_dict(),
            "density": None if self.density is None else self.density.to_dict(),
            "network": None if self.network is None else self.network.to_dict(),
            "row_map": None if self.row_map is None else self.row_map.to_dict(),
            "alike_columns": None if self.alike is None else asdict(self.alike),
            "training_value": self.training_value,
            "diagnosis": self.diagnosis,
        }
