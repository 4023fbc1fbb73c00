"""The study: task, data, features, learners, training, evaluation."""

from certus.tables import TableEncoder
from certus.workflow.result import Study
from certus.workflow.study import study
from certus.workflow.study_error import StudyError

__all__ = ["Study", "StudyError", "TableEncoder", "study"]


def __dir__() -> list[str]:
    return __all__
