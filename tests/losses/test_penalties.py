"""Every penalty: Fenchel-Young, the proximal map as minimizer, Moreau's identity, dual norms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from certus.losses import L1, L2, ElasticNet, GroupL2, MultiTask, NonNegative, NoPenalty

PENALTIES = [NoPenalty(), L2(0.7), L1(0.4), ElasticNet(0.4, 0.7), GroupL2([[0, 2], [1, 3]], 0.5), NonNegative()]
vectors = arrays(np.float64, 4, elements=st.floats(-5.0, 5.0))


def _name(penalty):
    return penalty.name


@pytest.mark.parametrize("penalty", PENALTIES, ids=_name)
@given(w=vectors, v=vectors, step=st.floats(0.1, 4.0))
def test_prox_is_the_minimizer(penalty, w, v, step):
    best = penalty.prox(w, step)

    def objective(at):
        return 0.5 * np.sum((at - w) ** 2) + step * penalty.value(at)

    assert objective(best) <= objective(v) + 1e-9
    assert objective(best) <= objective(best + 1e-3 * v) + 1e-12


@pytest.mark.parametrize("penalty", PENALTIES, ids=_name)
@given(w=vectors, u=vectors, step=st.floats(0.1, 4.0))
def test_fenchel_young(penalty, w, u, step):
    assert penalty.value(w) + penalty.conjugate(u) >= np.vdot(w, u) - 1e-9
    # Moreau: (w - prox) / step is a subgradient at the prox, where Fenchel-Young is an equality.
    best = penalty.prox(w, step)
    slope = (w - best) / step * (1.0 - 1e-12)
    if not isinstance(penalty, NonNegative | NoPenalty):
        reached = penalty.value(best) + penalty.conjugate(slope)
        assert reached == pytest.approx(float(np.vdot(best, slope)), abs=1e-8)


def test_dual_norms_bound_inner_products():
    rng = np.random.default_rng(0)
    for penalty in (L1(1.0), GroupL2([[0, 2], [1, 3]], 1.0)):
        w, u = rng.standard_normal((2, 200, 4))
        ratios = [np.vdot(a, b) / penalty.value(a) for a in w for b in u[:5]]
        norms = [penalty.dual_norm(b) for _ in w for b in u[:5]]
        assert (np.array(ratios) <= np.array(norms) + 1e-12).all()
    assert L1(0.5).conjugate([0.5, -0.5]) == 0.0
    assert L1(0.5).conjugate([0.5, -0.6]) == np.inf


@given(w=arrays(np.float64, (3, 2), elements=st.floats(-5.0, 5.0)), step=st.floats(0.1, 4.0))
def test_multi_task_is_a_group_penalty_of_rows(w, step):
    groups = GroupL2([[0, 1], [2, 3], [4, 5]], 0.7)
    assert MultiTask(0.7).value(w) == pytest.approx(groups.value(w.ravel()))
    np.testing.assert_allclose(MultiTask(0.7).prox(w, step).ravel(), groups.prox(w.ravel(), step), atol=1e-15)
    assert MultiTask(0.7).conjugate(w) == groups.conjugate(w.ravel())
    ridge = MultiTask(0.7, 0.3)
    best = ridge.prox(w, step)
    slope = (w - best) / step
    assert ridge.value(best) + ridge.conjugate(slope) == pytest.approx(float(np.vdot(best, slope)), abs=1e-8)


@pytest.mark.parametrize("penalty", [L1(0.4), ElasticNet(0.4, 0.0), ElasticNet(0.4, 0.7), PENALTIES[4]], ids=_name)
@given(u=vectors)
def test_feasible_scale(penalty, u):
    scale = penalty.feasible_scale(u)
    assert 0.0 < scale <= 1.0
    assert np.isfinite(penalty.conjugate(scale * (1.0 - 1e-12) * u))
    assert scale == 1.0 or np.isinf(penalty.conjugate(scale * (1.0 + 1e-9) * u))


def test_weights_of_groups():
    penalty = GroupL2([[0], [1, 2]], 0.5, [1.0, 2.0])
    assert penalty.value([3.0, 3.0, 4.0]) == pytest.approx(0.5 * (3.0 + 2.0 * 5.0))
    assert penalty.dual_norm([1.0, 3.0, 4.0]) == pytest.approx(2.5)
    with pytest.raises(ValueError, match="for every group"):
        GroupL2([[0], [1]], 1.0, [1.0])


def test_limits_of_the_elastic_net():
    w = np.array([1.0, -2.0, 0.1])
    np.testing.assert_array_equal(ElasticNet(0.3, 0.0).prox(w, 2.0), L1(0.3).prox(w, 2.0))
    np.testing.assert_array_equal(ElasticNet(0.0, 0.3).prox(w, 2.0), L2(0.3).prox(w, 2.0))
    assert ElasticNet(0.3, 0.0).conjugate([0.31, 0.0, 0.0]) == np.inf
    assert L2(0.0).conjugate([1e-9]) == np.inf
    assert L2(0.0).conjugate([0.0]) == 0.0


def test_bad_parameters():
    with pytest.raises(ValueError, match="at least 0"):
        L1(-1.0)
    with pytest.raises(ValueError, match="at least 0"):
        L2(float("nan"))
    with pytest.raises(ValueError, match="exactly once"):
        GroupL2([[0, 1], [1, 2]])
