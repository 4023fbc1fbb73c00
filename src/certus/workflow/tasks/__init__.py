"""The kinds of task: one object each, with everything that depends on the kind."""

from certus.workflow.tasks.binary import BinaryTask
from certus.workflow.tasks.clustering import ClusteringTask
from certus.workflow.tasks.judged import Constant, Judged
from certus.workflow.tasks.kind_of_task import Kind, Task
from certus.workflow.tasks.label_task import LabelTask
from certus.workflow.tasks.multi_label import MultiLabelTask
from certus.workflow.tasks.multiclass import MulticlassTask
from certus.workflow.tasks.ordinal import OrdinalTask
from certus.workflow.tasks.regression import RegressionTask

__all__ = [
    "BinaryTask",
    "ClusteringTask",
    "Constant",
    "Judged",
    "Kind",
    "LabelTask",
    "MultiLabelTask",
    "MulticlassTask",
    "OrdinalTask",
    "RegressionTask",
    "Task",
]
