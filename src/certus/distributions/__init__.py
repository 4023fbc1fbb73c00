"""Distributions, tables of finite variables, and information: the probability that several families share."""

from certus.distributions.codes import code_lengths, huffman_code
from certus.distributions.factor import Factor, bayes_rule
from certus.distributions.information import (
    conditional_entropy,
    cross_entropy,
    entropy,
    kl_divergence,
    mutual_information,
)

__all__ = [
    "Factor",
    "bayes_rule",
    "code_lengths",
    "conditional_entropy",
    "cross_entropy",
    "entropy",
    "huffman_code",
    "kl_divergence",
    "mutual_information",
]


def __dir__() -> list[str]:
    return __all__
