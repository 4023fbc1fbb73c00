"""Pictures of a model's quality; where there is a guarantee, it is in the picture."""

from certus.evaluation.displays.calibration import CalibrationDisplay
from certus.evaluation.displays.confusion import ConfusionDisplay
from certus.evaluation.displays.dendrogram import DendrogramDisplay
from certus.evaluation.displays.display import Display
from certus.evaluation.displays.importances import ImportancesDisplay
from certus.evaluation.displays.learning_curve import LearningCurveDisplay
from certus.evaluation.displays.margins import MarginsDisplay
from certus.evaluation.displays.precision_recall import PrecisionRecallDisplay
from certus.evaluation.displays.race import RaceDisplay
from certus.evaluation.displays.residuals import ResidualsDisplay
from certus.evaluation.displays.roc import RocDisplay

__all__ = [
    "CalibrationDisplay",
    "ConfusionDisplay",
    "DendrogramDisplay",
    "Display",
    "ImportancesDisplay",
    "LearningCurveDisplay",
    "MarginsDisplay",
    "PrecisionRecallDisplay",
    "RaceDisplay",
    "ResidualsDisplay",
    "RocDisplay",
]
