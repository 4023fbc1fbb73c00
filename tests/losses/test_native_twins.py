"""The losses and penalties of the compiled kernels are those of Python: the same names, the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from certus import _native
from certus.losses import (
    L1,
    L2,
    LOSSES,
    PENALTIES,
    ElasticNet,
    GroupL2,
    Logistic,
    Multinomial,
    MultiTask,
    NonNegative,
    NoPenalty,
    Tweedie,
    TweedieIdentity,
    native_loss,
)
from certus.losses.margin import MarginLoss

SCALAR = [loss() for loss in LOSSES if loss.native is not None and loss is not Multinomial]
POWERS = [Tweedie(power) for power in (-1.0, 0.0, 1.0, 1.2, 2.0, 3.0)]
POWERS += [TweedieIdentity(power) for power in (-1.0, 0.0, 1.0, 1.5, 2.0, 3.0)]


def test_both_lists_have_the_same_losses():
    assert sorted(loss.native for loss in LOSSES if loss.native is not None) == sorted(_native.loss_names())


@pytest.mark.parametrize("loss", [*SCALAR, *POWERS], ids=str)
def test_values_derivatives_and_curvatures(loss):
    scores = np.linspace(-6.0, 6.0, 97) + 0.013  # off the kinks
    if isinstance(loss, TweedieIdentity):
        scores = np.linspace(0.013, 6.0, 97)
    targets = [-1.0, 1.0] if isinstance(loss, MarginLoss) else [0.25, 1.0, 3.5]
    y, f = (part.ravel() for part in np.meshgrid(targets, scores))
    found = np.empty((len(y), 3))
    _native.loss_rows(native_loss(loss), 0.5 * (y + 1.0) if isinstance(loss, Logistic) else y, f, found)
    for name, column in zip(("value", "derivative", "curvature"), found.T, strict=True):
        expected = getattr(loss, name)(y, f) - (loss.constant(y) if name == "value" else 0.0)
        np.testing.assert_allclose(column, expected, rtol=1e-12, atol=1e-12, err_msg=name)


def test_means_that_cannot_be_cost_infinity():
    found = np.empty((2, 3))
    _native.loss_rows(native_loss(TweedieIdentity(1.0)), np.ones(2), np.array([-1.0, 0.0]), found)
    assert np.isinf(found[:, 0]).all()


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="no native loss"):
        _native.Loss("cubic")


def test_every_penalty_is_one_of_blocks():
    made = [NoPenalty(), L2(0.7), L1(0.4), ElasticNet(0.4, 0.7), NonNegative()]
    matrix = [MultiTask(0.4, 0.7), GroupL2([[0, 1, 2]], 0.5)]
    assert {type(penalty) for penalty in (*made, *matrix)} == set(PENALTIES)
    rng = np.random.default_rng(0)
    for step in (0.3, 1.0, 4.0):
        for penalty in made:
            for w in rng.normal(size=20):
                found = np.array([w])
                _native.block_prox(*penalty.block, step, found)
                np.testing.assert_allclose(found, penalty.prox([w], step), atol=1e-15)
        for w in rng.normal(size=(20, 3)):
            for penalty in matrix:
                found = w.copy()
                _native.block_prox(*penalty.block, step, found)
                expected = penalty.prox(w[None] if isinstance(penalty, MultiTask) else w, step)
                np.testing.assert_allclose(found, expected.ravel(), atol=1e-15)
