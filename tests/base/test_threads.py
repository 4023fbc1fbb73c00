from __future__ import annotations

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from certus.base.threads import blas_on_one_thread, resolve_threads


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_explicit_numbers() -> None:
    assert resolve_threads(3) == 3
    assert resolve_threads(-1) == joblib.cpu_count()
    assert resolve_threads(-1000) == 1
    with pytest.raises(ValueError, match=r"'n_jobs' parameter.*Got 0"):
        resolve_threads(0)


def test_none_follows_joblib_then_the_environment_then_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert resolve_threads(None) == joblib.cpu_count()
    monkeypatch.setenv("OMP_NUM_THREADS", "5,2")
    assert resolve_threads(None) == 5
    with joblib.parallel_config(n_jobs=3, backend="threading"):
        assert resolve_threads(None) == 3


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_use_one_thread(backend: str) -> None:
    with joblib.parallel_config(backend=backend, inner_max_num_threads=1 if backend == "loky" else None):
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(resolve_threads)(None) for _ in range(2))
    assert found == [1, 1]


def test_blas_is_limited_and_restored_even_when_nested() -> None:
    np.ones((2, 2)) @ np.ones((2, 2))
    with threadpool_limits(3, "blas"):
        before = blas_threads()
        assert before == {3}
        with blas_on_one_thread():
            with blas_on_one_thread():
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == before
        with pytest.raises(ZeroDivisionError), blas_on_one_thread():
            raise ZeroDivisionError
        assert blas_threads() == before
