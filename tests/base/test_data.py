from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from certus.base import Regressor, assert_finite, check_target, check_weights
from certus.base.seeds import resolve_seed, resolve_seeds


@given(
    arrays(
        st.sampled_from([np.float32, np.float64]),
        st.tuples(st.integers(1, 40), st.integers(1, 40)),
        elements=st.floats(allow_nan=True, allow_infinity=True, width=32),
    )
)
def test_finite_check_agrees_with_numpy_and_names_the_first_place(table: np.ndarray) -> None:
    bad = np.argwhere(~np.isfinite(table))
    if len(bad) == 0:
        assert_finite(Regressor(), table)
    else:
        with pytest.raises(ValueError, match=f"row {bad[0][0]}, column {bad[0][1]}"):
            assert_finite(Regressor(), table)


def test_finite_check_of_large_sparse_and_strided_tables() -> None:
    large = np.ones((1000, 1001))
    assert_finite(Regressor(), large)
    assert_finite(Regressor(), large[::2, ::3])
    large[998, 3] = np.inf
    with pytest.raises(ValueError, match="row 499, column 1"):
        assert_finite(Regressor(), large[::2, ::3])
    table = sparse.csr_array(np.diag([1.0, np.nan, 3.0]))
    with pytest.raises(ValueError, match="row 1, column 1"):
        assert_finite(Regressor(), table)
    assert_finite(Regressor(), table, allow_nan=True)


def test_targets() -> None:
    with pytest.raises(ValueError, match="Input y contains NaN: first at row 1"):
        check_target(Regressor(), np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="label of row 2 is missing"):
        check_target(Regressor(), np.array(["a", "b", None], dtype=object))
    assert check_target(Regressor(), np.array([1, 2], dtype=object), numeric=True).dtype == np.float64


def test_weights() -> None:
    X = np.ones((3, 1))
    assert check_weights(Regressor(), None, X) is None
    assert check_weights(Regressor(), 2, X).tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(ValueError, match="must be 1D"):
        check_weights(Regressor(), np.ones((3, 1)), X)
    with pytest.raises(ValueError, match="sample_weight"):
        check_weights(Regressor(), [1.0, np.nan, 1.0], X)


def test_seeds() -> None:
    assert resolve_seed(0) == resolve_seed(0) != resolve_seed(1)
    generator = np.random.default_rng(0)
    assert resolve_seed(generator) != resolve_seed(generator)
    assert 0 <= resolve_seed(None) < 2**64
    seeds = np.array([0, 7, 2**31 - 2], dtype=np.uint64)
    assert resolve_seeds(seeds).tolist() == [resolve_seed(int(seed)) for seed in seeds]
