"""Pictures of a model's quality; where there is a guarantee, it is in the picture."""

from certus.evaluation.displays.calibration_display import CalibrationDisplay
from certus.evaluation.displays.components_display import ComponentsDisplay
from certus.evaluation.displays.confusion_display import ConfusionDisplay
from certus.evaluation.displays.dendrogram_display import DendrogramDisplay
from certus.evaluation.displays.density_display import DensityDisplay
from certus.evaluation.displays.display import Display
from certus.evaluation.displays.em_display import EMDisplay
from certus.evaluation.displays.gradient_flow_display import GradientFlowDisplay
from certus.evaluation.displays.importances_display import ImportancesDisplay
from certus.evaluation.displays.learning_curve_display import LearningCurveDisplay
from certus.evaluation.displays.loss_curve_display import LossCurveDisplay
from certus.evaluation.displays.margins_display import MarginsDisplay
from certus.evaluation.displays.network_display import NetworkDisplay
from certus.evaluation.displays.precision_recall_display import PrecisionRecallDisplay
from certus.evaluation.displays.race_display import RaceDisplay
from certus.evaluation.displays.regions_display import RegionsDisplay
from certus.evaluation.displays.residuals_display import ResidualsDisplay
from certus.evaluation.displays.roc_display import RocDisplay
from certus.evaluation.displays.row_map_display import RowMapDisplay
from certus.evaluation.displays.silhouette_display import SilhouetteDisplay

__all__ = [
    "CalibrationDisplay",
    "ComponentsDisplay",
    "ConfusionDisplay",
    "DendrogramDisplay",
    "DensityDisplay",
    "Display",
    "EMDisplay",
    "GradientFlowDisplay",
    "ImportancesDisplay",
    "LearningCurveDisplay",
    "LossCurveDisplay",
    "MarginsDisplay",
    "NetworkDisplay",
    "PrecisionRecallDisplay",
    "RaceDisplay",
    "RegionsDisplay",
    "ResidualsDisplay",
    "RocDisplay",
    "RowMapDisplay",
    "SilhouetteDisplay",
]
