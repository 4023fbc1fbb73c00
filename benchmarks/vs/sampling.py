"""Bayesian logistic regression by NUTS against compiled samplers: time to an effective sample size of 1000.

Every sampler tunes for 1000 steps and draws as often as it takes for that size in its worst coefficient.
"""

from functools import partial

from benchmarks.measure.task import THREADS, Competitor, Task
from benchmarks.problems import data
from benchmarks.problems.chain_quality import smallest_effective_size

_LADDER = tuple({"draws": draws} for draws in (125, 250, 500, 1000, 2000))

TASKS = (
    Task(
        name="bayesian-logistic-nuts",
        about="logistic regression with a normal prior, four chains",
        action="fit",
        make_data=partial(data.linear_classes, classes=2, C=1.0),
        size={"n": 10_000, "d": 50},
        quick_size={"n": 200, "d": 3},
        quality=smallest_effective_size(1000.0),
        competitors=(
            Competitor(
                "certus",
                "certus.sampling.BayesianLogisticRegression",
                {"random_state": 0, "n_jobs": THREADS},
                _LADDER,
            ),
            Competitor("blackjax", "benchmarks.peers.chain_models.BlackjaxLogistic", ladder=_LADDER),
            Competitor("NumPyro", "benchmarks.peers.chain_models.NumPyroLogistic", ladder=_LADDER),
        ),
    ),
)
