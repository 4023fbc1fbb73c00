"""copy_X=False: the caller's table may be centered in place; model and certificate are those of the original table."""

from typing import Any

import numpy as np
import pytest

from certus.linear import ElasticNet, Lasso, LinearRegression, MultiTaskLasso, Ridge

CASES = [
    (LinearRegression(), (10, 12)),
    (Ridge(), (10, 12)),
    (Ridge(solver="svd"), (30, 4)),
    (Lasso(alpha=0.1), (30, 60)),
    (ElasticNet(alpha=0.1), (40, 5)),
    (MultiTaskLasso(alpha=0.1), (20, 30)),
]


def table(shape: tuple[int, int], seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.normal(size=shape) + 100.0 * rng.normal(size=shape[1]))
    X[:, 1] = 7.3  # a constant column is centered to exact zeros
    return X, rng.normal(size=shape[0]) + 5.0


@pytest.mark.parametrize(("learner", "shape"), CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_overwritten_table_gives_the_model_of_the_original(
    learner: Any, shape: tuple[int, int], weighted: bool
) -> None:
    X, y = table(shape, seed=0)
    extra: dict[str, Any] = {"sample_weight": np.arange(shape[0]) % 3.0} if weighted else {}
    if isinstance(learner, MultiTaskLasso):
        y, extra = np.column_stack([y, y**2]), {}
    kept = learner.__class__(**learner.get_params()).fit(X, y, **extra)
    overwritten = X.copy(order="F")
    free = learner.__class__(**{**learner.get_params(), "copy_X": False}).fit(overwritten, y, **extra)
    assert not np.array_equal(overwritten, X)
    np.testing.assert_allclose(free.predict(X), kept.predict(X), rtol=1e-8)
    assert free.gap_ <= 1.1 * kept.gap_
    assert free.report_[0].check((X, y, *extra.values()))


@pytest.mark.parametrize(("learner", "shape"), CASES)
def test_only_writable_dense_doubles_are_overwritten(learner: Any, shape: tuple[int, int]) -> None:
    X, y = table(shape, seed=1)
    y = np.column_stack([y, y]) if isinstance(learner, MultiTaskLasso) else y
    free = learner.__class__(**{**learner.get_params(), "copy_X": False})
    single = X.astype(np.float32)
    free.fit(single, y)
    np.testing.assert_array_equal(single, X.astype(np.float32))
    X.setflags(write=False)
    free.fit(X, y)
    assert np.isfinite(free.coef_).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize(("learner", "shape"), CASES)
def test_errors_still_name_the_place(learner: Any, shape: tuple[int, int], bad: float) -> None:
    X, y = table(shape, seed=2)
    y = np.column_stack([y, y]) if isinstance(learner, MultiTaskLasso) else y
    X[3, 2] = bad
    free = learner.__class__(**{**learner.get_params(), "copy_X": False})
    with pytest.raises(ValueError, match="row 3, column 2"):
        free.fit(X, y)
