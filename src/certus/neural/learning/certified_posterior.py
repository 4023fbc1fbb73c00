"""Networks for labels whose neighborhood is certified: prior, posterior and draws."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from certus.base import predict_method, resolve_seed
from certus.base.inputs import RandomStateLike, check_weights
from certus.guarantees import Report
from certus.neural.engine import NetworkEngine
from certus.neural.evidence.posterior import certify_posterior, split_prior
from certus.neural.learning.label_targets import LabelTargets
from certus.neural.learning.network_learner import Prior
from certus.neural.learning.training_data import TrainingData


def _has_posterior(learner: Any) -> bool:
    if learner.prior_fraction is None:
        raise AttributeError("draw needs prior_fraction: without it there is no posterior.")
    return True


class CertifiedPosterior(LabelTargets):
    """What ``prior_fraction`` adds to networks for labels.

    Parameters
    ----------
    prior_fraction : float or None
        Share of the rows that trains a prior network; the network then learns from all rows, and the others bound
        the expected error of networks drawn around it (`draw`), without rows held out from training.
    confidence : float
        Probability with which that bound holds.

    Attributes
    ----------
    posterior_scale_ : float
        Standard deviation s of the weights of the certified posterior N(w, s^2 I), whose mean is the fitted network.
    posterior_step_ : float
        Where w lies on the way from the prior network (0) to the one that all rows trained (1).
    """

    prior_fraction: float | None
    confidence: float

    def _row_weights(self, sample_weight: Any, table: Any) -> NDArray[np.float64] | None:
        if sample_weight is not None and self.prior_fraction is not None:
            raise ValueError(
                "prior_fraction bounds the error over rows that count equally; got sample_weight.\n"
                "Hint: leave sample_weight out, or use class_weight."
            )
        return check_weights(self, sample_weight, table)

    def _train_prior(
        self, engine: NetworkEngine, data: TrainingData, random: np.random.RandomState, seed: int
    ) -> Prior | None:
        if self.prior_fraction is None:
            return None
        first, others = split_prior(data, float(self.prior_fraction), seed)
        self._descend(engine, first, random, None, None, incremental=False)
        self._refuse_infinite(engine)
        return engine.parameters.copy(), others

    def _certify_posterior(self, engine: NetworkEngine, prior: Prior, data: TrainingData, seed: int) -> Report:
        def errors(engine: NetworkEngine, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
            return self._wrong(engine.forward(data.X[rows]), self._targets_of(data, rows))

        found = certify_posterior(engine, *prior, errors, confidence=float(self.confidence), seed=seed)
        self.posterior_scale_, self.posterior_step_ = found.scale, found.step
        return found.report

    @available_if(_has_posterior)  # type: ignore[untyped-decorator]
    @predict_method
    def draw(self, random_state: RandomStateLike = None) -> Any:
        """One network of the certified posterior; the certificate is about the mean error of such draws.

        Parameters
        ----------
        random_state : int, RandomState or None, default=None
            Seed of the draw.

        Returns
        -------
        MLPClassifier
            A fitted network with the weights that were drawn.
        """
        random = np.random.default_rng(resolve_seed(random_state))
        drawn = copy.deepcopy(self)
        for view in (*drawn.coefs_, *drawn.intercepts_):
            view += (self.posterior_scale_ * random.standard_normal(view.shape)).astype(view.dtype)
        drawn.report_ = Report()
        return drawn
