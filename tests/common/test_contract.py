"""What every learner promises beyond scikit-learn's checks: weights, dtypes, threads, reports, round trips."""

from __future__ import annotations

import io
import pickle
import re
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

import certus
from certus.base.catalogue import Entry
from certus.guarantees.rows import watch_rows
from tests.common.problems import answer, learners, make, outputs, problem

every_learner = pytest.mark.parametrize("entry", learners())


@every_learner
def test_report_is_present_and_its_certificates_hold(entry: Entry) -> None:
    X, y = problem(entry)
    model = make(entry).fit(X, y)
    assert isinstance(model.report_, certus.Report)
    for certificate in model.report_:
        assert certificate.check()
        assert certus.Certificate.from_json(certificate.to_json()) == certificate


@every_learner
def test_training_rows_are_remembered(entry: Entry) -> None:
    X, y = problem(entry)
    model = make(entry).fit(X, y)
    with watch_rows() as watch:
        answer(model, X)
    assert watch.overlap(allow=True).recognized
    with watch_rows() as watch:
        answer(model, problem(entry, seed=1)[0])
    assert not watch.overlap(allow=False).found


@every_learner
def test_weight_zero_removes_and_weight_two_repeats(entry: Entry) -> None:
    if not has_fit_parameter(entry.learner, "sample_weight"):
        pytest.skip("takes no weights, as its scikit-learn namesake")
    if "check_sample_weight_equivalence_on_dense_data" in entry.known_failures:
        pytest.skip("a weight is not a repetition, for the reason that the catalogue gives")
    if "cv" in make(entry).get_params():
        pytest.skip("chooses by cross-validation: folds count rows, so repeated rows are other folds")
    X, y = problem(entry)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    learner = make(entry)
    if "min_samples_leaf" in learner.get_params():
        learner.set_params(min_samples_leaf=1)  # it counts rows, not weights, as in scikit-learn
    weighted = clone(learner).fit(X, y, sample_weight=weights)
    repeat = weights.astype(int)
    repeated = learner.fit(np.repeat(X, repeat, axis=0), np.repeat(y, repeat, axis=0))
    for ours, theirs in zip(outputs(weighted, X), outputs(repeated, X), strict=True):
        assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)


@every_learner
def test_float32_gives_nearly_the_same_answers(entry: Entry) -> None:
    X, y = problem(entry)
    X = X.astype(np.float32)  # so that both see the same numbers
    double, single = make(entry).fit(X.astype(np.float64), y), make(entry).fit(X, y)
    for ours, theirs in zip(outputs(single, X), outputs(double, X.astype(np.float64)), strict=True):
        assert_allclose(ours, theirs, rtol=1e-3, atol=1e-3 * np.abs(theirs).max())


@every_learner
def test_thread_count_does_not_change_a_bit(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    # Kernel learners cost up to n^3 and machines n^2: fewer rows, and still three blocks of work (2048 in machines).
    rows = {"kernels": 1000, "svm": 4200}.get(entry.family, 6000)
    quadratic = ("ClassicalMDS", "NeighborhoodComponentsAnalysis", "SpectralEmbedding")  # every step costs n^2
    rows = 300 if entry.name == "MDS" else 1500 if entry.name in quadratic else rows
    X, y = problem(entry, rows=rows, columns=20)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        with threadpool_limits(int(threads), "blas"):
            found.append(outputs(make(entry).fit(X, y), X))
    for others in found[1:]:
        for one, other in zip(found[0], others, strict=True):
            assert_array_equal(one, other)


@every_learner
def test_one_row_equals_many_rows(entry: Entry) -> None:
    X, y = problem(entry)
    model = make(entry).fit(X, y)
    together = outputs(model, X)
    for row in range(0, len(X), 17):
        for one, many in zip(outputs(model, X[row : row + 1]), together, strict=True):
            assert_allclose(one[0], many[row], rtol=1e-9, atol=1e-12)


@every_learner
def test_row_order_does_not_matter(entry: Entry) -> None:
    if entry.draws_rows:
        pytest.skip("draws rows by their place")
    if entry.name == "OPTICS":
        pytest.skip("an order that begins with the first row")
    if make(entry).get_params().get("cv") is not None:
        pytest.skip("chooses by folds, which are cut in the order of the rows")
    X, y = problem(entry)
    order = np.random.default_rng(1).permutation(len(y))
    straight, shuffled = make(entry).fit(X, y), make(entry).fit(X[order], y[order])
    for ours, theirs in zip(outputs(straight, X), outputs(shuffled, X), strict=True):
        assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@every_learner
@pytest.mark.parametrize("form", ["read-only", "fortran", "strided", "list"])
def test_forms_of_memory(entry: Entry, form: str) -> None:
    X, y = problem(entry)
    table: object = {
        "read-only": X.copy(),
        "fortran": np.asfortranarray(X),
        "strided": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "list": X.tolist(),
    }[form]
    if form == "read-only":
        table.setflags(write=False)  # type: ignore[attr-defined]
    before = X.copy()
    for ours, theirs in zip(
        outputs(make(entry).fit(table, y), table),  # type: ignore[arg-type]
        outputs(make(entry).fit(X, y), X),
        strict=True,
    ):
        assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    assert_array_equal(X, before)


@every_learner
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_keep_their_column_names(entry: Entry, frame: type) -> None:
    X, y = problem(entry)
    names = [f"column {j}" for j in range(X.shape[1])]
    table = frame(dict(zip(names, X.T, strict=True)))
    model = make(entry).fit(table, y)
    assert list(model.feature_names_in_) == names
    _assert_same_answers(answer(model, table), answer(make(entry).fit(X, y), X))
    with pytest.raises(ValueError, match="column 0"):
        answer(model, frame(dict(zip(["other", *names[1:]], X.T, strict=True))))


def _assert_same_answers(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Equal labels; equal numbers to rounding, since a frame's columns lie in memory in another order."""
    if ours.dtype.kind == "f":
        assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    else:
        assert_array_equal(ours, theirs)


@every_learner
def test_pyarrow_table(entry: Entry) -> None:
    pa = pytest.importorskip("pyarrow")
    X, y = problem(entry)
    table = pa.table({f"c{j}": X[:, j] for j in range(X.shape[1])})
    _assert_same_answers(answer(make(entry).fit(table, y), table), answer(make(entry).fit(X, y), X))


@every_learner
def test_save_and_load(entry: Entry, tmp_path: Path) -> None:
    X, y = problem(entry)
    model = make(entry).fit(X, y)
    certus.save(model, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    assert again.report_ == model.report_
    for ours, theirs in zip(outputs(again, X), outputs(model, X), strict=True):
        assert_array_equal(ours, theirs)


@every_learner
def test_pickle_joblib_and_clone(entry: Entry) -> None:
    X, y = problem(entry)
    model = make(entry).fit(X, y)
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(buffer), clone(model).fit(X, y)):
        for ours, theirs in zip(outputs(copy, X), outputs(model, X), strict=True):
            assert_array_equal(ours, theirs)
    assert not [name for name in vars(clone(model)) if name.endswith("_")]


def scaler_for(entry: Entry) -> Any:
    """A step before the learner that gives what it takes."""
    positive = get_tags(entry.learner()).input_tags.positive_only
    return StandardScaler(with_mean=not positive)


@every_learner
def test_grid_search_and_pipeline(entry: Entry) -> None:
    if not hasattr(entry.learner, "score"):
        pytest.skip("has no score, as its scikit-learn namesake")
    X, y = problem(entry)
    pipeline = make_pipeline(scaler_for(entry), make(entry))
    name = pipeline.steps[-1][0]
    parameter = next(iter(sorted(make(entry).get_params())))
    grid = {f"{name}__{parameter}": [make(entry).get_params()[parameter]]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    assert np.isfinite(search.best_score_)
    pipeline.set_output(transform="pandas").fit(X, y)
    answer(pipeline, X)


@every_learner
def test_metadata_routing(entry: Entry) -> None:
    if isinstance(make(entry).get_params().get("scoring"), str):
        pytest.skip("its scorer has to be told what it gets, as its scikit-learn namesake's")
    if not has_fit_parameter(entry.learner, "sample_weight") or not hasattr(entry.learner, "score"):
        pytest.skip("takes no weights or has no score, as its scikit-learn namesake")
    X, y = problem(entry)
    weights = np.ones(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        learner = make(entry).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(scaler_for(entry).set_fit_request(sample_weight=False), learner)
        search = GridSearchCV(pipeline, {}, cv=3).fit(X, y, sample_weight=weights)
    assert np.isfinite(search.best_score_)


@every_learner
def test_representations_show_the_report(entry: Entry) -> None:
    X, y = problem(entry)
    model = make(entry).fit(X, y)
    assert re.match(entry.name, repr(model))
    html = model._repr_html_()
    assert entry.name in html
    for certificate in model.report_:
        if not certificate.vacuous:
            assert certificate.claim in str(model)


@every_learner
def test_classifiers_certify_held_out_rows(entry: Entry) -> None:
    if "classification" not in entry.tasks:
        pytest.skip("a classifier's promise")
    X, y = problem(entry, rows=300)
    model = make(entry).fit(X[:200], y[:200])
    wrong = int((model.predict(X[200:]) != y[200:]).reshape(100, -1).any(axis=1).sum())
    report = model.certify(X[200:], y[200:], confidence=0.9)
    bound = report["error"]
    assert wrong / 100 < bound.value <= 1
    assert bound.confidence == 0.9
    assert bound.check()
