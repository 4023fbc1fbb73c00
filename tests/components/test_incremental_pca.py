"""Batches of any size give the components of all rows at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import certus
from certus.components import PCA, IncrementalPCA, incremental_pca

NAMES = ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_")


def rows_of_some_scale(offset: float = 0.0, scale: float = 1.0) -> np.ndarray:
    return (np.random.default_rng(0).normal(size=(90, 6)) * [6, 5, 4, 3, 2, 1] + offset) * scale


@pytest.mark.parametrize("cuts", [[1, 2, 3], [40], list(range(1, 90))], ids=["tiny", "two", "single rows"])
@pytest.mark.parametrize(("offset", "scale"), [(0.0, 1.0), (1e6, 1.0), (0.0, 1e150), (0.0, 1e-150)])
def test_batches_of_any_size_are_all_rows_at_once(cuts: list[int], offset: float, scale: float) -> None:
    table = rows_of_some_scale(offset, scale / 30)
    model = IncrementalPCA(3)
    for batch in np.split(table, cuts):
        model.partial_fit(batch)
    whole = PCA(3).fit(table)
    for name in NAMES:
        assert_allclose(getattr(model, name), getattr(whole, name), rtol=1e-7, atol=1e-8)
    assert model.noise_variance_ == pytest.approx(whole.noise_variance_)
    assert_allclose(model.var_, table.var(axis=0), rtol=1e-7)
    assert model.n_samples_seen_ == 90
    found = model.report_["explained variance ratio"]
    assert found.check(table)
    assert found.value == pytest.approx(whole.report_["explained variance ratio"].value, abs=1e-9)


def test_weights_are_repetitions() -> None:
    table, times = rows_of_some_scale(), np.random.default_rng(1).integers(0, 3, 90)
    weighted = IncrementalPCA(2)
    for part in np.split(np.arange(90), [10, 50]):
        weighted.partial_fit(table[part], sample_weight=times[part].astype(float))
    repeated = IncrementalPCA(2).fit(np.repeat(table, times, axis=0))
    for name in (*NAMES, "var_", "n_samples_seen_"):
        assert_allclose(getattr(weighted, name), getattr(repeated, name))
    assert weighted.report_["explained variance ratio"].check((table, times))


def test_a_saved_model_goes_on(tmp_path: Path) -> None:
    table = rows_of_some_scale()
    model = IncrementalPCA(2).partial_fit(table[:40])
    certus.save(model, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus").partial_fit(table[40:])
    assert_allclose(again.components_, model.partial_fit(table[40:]).components_, atol=0.0)


def test_wide_tables_keep_the_components_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incremental_pca, "EXACT", 4)
    table = rows_of_some_scale(100.0)
    model = IncrementalPCA(5, batch_size=30).fit(table)
    whole = PCA(5).fit(table)
    assert not model.report_
    assert_allclose(model.explained_variance_, whole.explained_variance_, rtol=0.05)
    assert_allclose(model.var_, table.var(axis=0))
    assert_allclose(IncrementalPCA(6, batch_size=30).fit(table).singular_values_, PCA().fit(table).singular_values_)


def test_sparse_tables_and_refusals() -> None:
    table = sparse.random_array((40, 5), density=0.4, rng=np.random.default_rng(2), format="csr")
    assert_allclose(
        IncrementalPCA(2).fit(table).components_, IncrementalPCA(2).fit(table.toarray()).components_, atol=1e-10
    )
    with pytest.raises(TypeError, match="does not support sparse"):
        IncrementalPCA(2).partial_fit(table)
    with pytest.raises(ValueError, match="invalid for n_features"):
        IncrementalPCA(6).fit(table)
    model = IncrementalPCA(2).fit(table)
    with pytest.raises(ValueError, match="must stay 2"):
        model.set_params(n_components=3).partial_fit(table.toarray())
