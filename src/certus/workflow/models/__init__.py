"""What a study trains and saves: its winner, with the sets or intervals that go with it."""

from certus.tables import TableEncoder  # a part of every saved study, registered by its import
from certus.workflow.models.blend import Blend
from certus.workflow.models.cluster_model import ClusterModel
from certus.workflow.models.distance_ratios import distance_ratios
from certus.workflow.models.fold_models import FoldModels
from certus.workflow.models.made_columns import Made, MadeColumns
from certus.workflow.models.made_encoder import MadeEncoder
from certus.workflow.models.mixture_groups import MixtureGroups
from certus.workflow.models.scaled_target import ScaledTarget
from certus.workflow.models.study_model import StudyModel
from certus.workflow.models.word_encoder import WordEncoder

__all__ = [
    "Blend",
    "ClusterModel",
    "FoldModels",
    "Made",
    "MadeColumns",
    "MadeEncoder",
    "MixtureGroups",
    "ScaledTarget",
    "StudyModel",
    "TableEncoder",
    "WordEncoder",
    "distance_ratios",
]
