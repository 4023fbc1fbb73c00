"""Networks of torch (``pip install 'certus[deep]'``) as learners: images, sequences, any module.

torch is imported when a learner is first fitted or asked.
"""

from certus.neural.deep.torch_classifier import TorchClassifier

__all__ = ["TorchClassifier"]


def __dir__() -> list[str]:
    return __all__
