"""The study: task, data, features, learners, training, evaluation."""

from certus.workflow.errors import StudyError
from certus.workflow.study import Study, study

__all__ = ["Study", "StudyError", "study"]
