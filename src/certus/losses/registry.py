"""All losses by their names, and all penalties."""

from __future__ import annotations

from dataclasses import fields

from certus.losses.epsilon_insensitive import EpsilonInsensitive, SquaredEpsilonInsensitive
from certus.losses.exponential import Exponential
from certus.losses.gamma import Gamma
from certus.losses.hinge import Hinge, ModifiedHuber, Perceptron, SquaredHinge
from certus.losses.huber import Huber
from certus.losses.logistic import Logistic
from certus.losses.loss import KnownLoss
from certus.losses.multinomial import Multinomial
from certus.losses.penalties.convex_penalty import KnownPenalty
from certus.losses.penalties.elastic_net_penalty import ElasticNet
from certus.losses.penalties.group_l2 import GroupL2
from certus.losses.penalties.l1 import L1
from certus.losses.penalties.l2 import L2
from certus.losses.penalties.multi_task import MultiTask
from certus.losses.penalties.no_penalty import NoPenalty
from certus.losses.penalties.non_negative import NonNegative
from certus.losses.poisson import Poisson
from certus.losses.quantile import Absolute, Quantile
from certus.losses.squared import Squared
from certus.losses.tweedie import Tweedie, TweedieIdentity
from certus.losses.zero_one import ZeroOne

LOSSES: tuple[type[KnownLoss], ...] = (
    Absolute,
    EpsilonInsensitive,
    Exponential,
    Gamma,
    Hinge,
    Huber,
    Logistic,
    ModifiedHuber,
    Multinomial,
    Perceptron,
    Poisson,
    Quantile,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
    Tweedie,
    TweedieIdentity,
    ZeroOne,
)
PENALTIES: tuple[type[KnownPenalty], ...] = (NoPenalty, L2, L1, ElasticNet, GroupL2, MultiTask, NonNegative)
BY_NAME: dict[str, type[KnownLoss]] = {name: loss for loss in LOSSES for name in (loss.name, *loss.aliases)}


def named_loss(name: str, parameter: float | None = None) -> KnownLoss:
    """The loss of a name, ours or scikit-learn's, with its parameter if it has one."""
    loss = BY_NAME[name]
    return loss(parameter) if parameter is not None and fields(loss) else loss()  # type: ignore[arg-type,call-arg]
