"""Who leaves a race early: bounds that hold for all pairs at all looks, and heuristics where there is no bound."""

from __future__ import annotations

import numpy as np
import pytest

from certus.workflow import study
from certus.workflow.measures import MEASURES
from certus.workflow.race.elimination import (
    DROP_LEVEL,
    far_behind_on_parts,
    pair_level,
    surely_worse,
)
from tests.workflow.test_verdict import signal

ERROR = MEASURES["error"]


def test_all_pairs_together_take_no_more_than_the_level() -> None:
    spent = sum(2 * (place - 1) * pair_level(place) for place in range(2, 100_000))
    assert 0.49 * DROP_LEVEL < spent < DROP_LEVEL
    assert pair_level(7, looks=5) == pytest.approx(pair_level(7) / 5)


def test_equal_candidates_are_not_called_worse_at_any_look() -> None:
    """Looked at after every ten rows, at a level that mean bounds of single looks would exceed."""
    rng, dropped = np.random.default_rng(0), 0
    for _ in range(100):
        losses = rng.choice([-1.0, 0.0, 1.0], 400, p=[0.2, 0.6, 0.2])
        dropped += any(surely_worse(losses[:rows], ERROR, 0.1) for rows in range(10, 401, 10))
    assert dropped <= 18  # 99 % quantile of the binomial distribution
    assert surely_worse(rng.choice([-1.0, 0.0, 1.0], 400, p=[0.1, 0.4, 0.5]), ERROR, pair_level(12))
    assert not surely_worse(losses, MEASURES["rmse"], 0.5)  # a loss without a range has no bound


def test_parts_tell_who_is_far_behind_only_beyond_their_spread() -> None:
    rng = np.random.default_rng(1)
    equal = [far_behind_on_parts(rng.normal(size=4).tolist(), 5) for _ in range(2000)]
    assert np.mean(equal) < 0.02
    assert far_behind_on_parts([0.20, 0.21, 0.19], 5)
    assert not far_behind_on_parts([0.20, 0.21], 5)  # two parts say nothing about their spread
    assert not far_behind_on_parts([-0.2, -0.2, -0.21], 5)
    assert not far_behind_on_parts([0.0, 0.0, 0.0], 5)


def test_a_measure_without_losses_of_rows_drops_by_its_folds() -> None:
    named = ["RidgeClassifier", "sklearn.dummy:DummyClassifier"]
    result = study(signal(500), target="y", measure="auc", candidates=named, trials=2, threads=1)
    (left,) = [row for row in result.leaderboard if row["dropped"]]
    assert left["learner"] == "DummyClassifier()"
    assert left["dropped"] == "far behind the leader after 3 of 5 parts (a heuristic)"
