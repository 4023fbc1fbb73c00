"""The study: task, data, features, learners, training, evaluation."""

from certus.workflow.encoding import TableEncoder
from certus.workflow.errors import StudyError
from certus.workflow.result import Study
from certus.workflow.run import study

__all__ = ["Study", "StudyError", "TableEncoder", "study"]
