"""Naive Bayes of mixed columns: its parts, missing cells, the network it is, growing tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import certus
from certus.bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB
from certus.distributions import Factor


def mixed_frame(rows: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    generator = np.random.default_rng(seed)
    y = generator.choice(["a", "b", "c"], rows)
    code = np.searchsorted(["a", "b", "c"], y)
    frame = pd.DataFrame(
        {
            "height": generator.normal(170 + 5 * code, 7),
            "hair": [generator.choice(["red", "brown", "black"], p=p) for p in np.eye(3)[code] * 0.4 + 0.2],
            "visits": generator.poisson(1 + 2 * code),
            "wait": generator.exponential(1 + code),
            "member": generator.random(rows) < 0.2 + 0.3 * code,
        }
    )
    return frame, y


KINDS = {"visits": "poisson", "wait": "exponential", "member": "bernoulli"}


def test_each_kind_is_its_formula() -> None:
    frame, y = mixed_frame()
    model = MixedNB(columns=KINDS).fit(frame, y)
    assert model.kinds_ == ["gaussian", "categorical", "poisson", "exponential", "bernoulli"]
    joint = np.empty((len(y), 3))
    for c, label in enumerate("abc"):
        mine = frame[y == label]
        n = len(mine)
        total = np.log(n / len(y)) + stats.norm.logpdf(frame.height, mine.height.mean(), mine.height.std(ddof=0))
        share = (mine.hair.value_counts() + 1) / (n + 3)
        total += np.log(share.loc[frame.hair].to_numpy())
        total += stats.poisson.logpmf(frame.visits, (mine.visits.sum() + frame.visits.mean()) / (n + 1))
        total += stats.expon.logpdf(frame.wait, scale=(mine.wait.sum() + frame.wait.mean()) / (n + 1))
        one = (mine.member.sum() + 1) / (n + 2)
        total += np.where(frame.member, np.log(one), np.log(1 - one))
        joint[:, c] = total
    np.testing.assert_allclose(model.predict_joint_log_proba(frame), joint, rtol=1e-6)


def test_tables_of_one_kind_agree_with_the_other_classifiers() -> None:
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(80, 3)), generator.integers(0, 3, 80)
    np.testing.assert_allclose(MixedNB().fit(X, y).predict_proba(X), GaussianNB().fit(X, y).predict_proba(X), rtol=1e-6)
    C = generator.integers(0, 4, size=(80, 3))
    np.testing.assert_allclose(
        MixedNB(columns=["categorical"] * 3).fit(C, y).predict_proba(C), CategoricalNB().fit(C, y).predict_proba(C)
    )
    B = generator.integers(0, 2, size=(80, 3))
    np.testing.assert_allclose(
        MixedNB(columns=["bernoulli"] * 3).fit(B, y).predict_proba(B), BernoulliNB().fit(B, y).predict_proba(B)
    )


def test_it_is_the_star_network_with_missing_cells_summed_out() -> None:
    rows = [["r", "x"], ["r", "y"], ["s", "y"], ["s", "x"], ["s", "y"], ["r", None]]
    y = ["u", "u", "v", "v", "v", "v"]
    model = MixedNB().fit(np.array(rows, dtype=object), y)
    prior = Factor({"y": ["u", "v"]}, np.exp(model._log_prior()))
    joint = prior
    for j, (name, labels) in enumerate((("a", ["r", "s"]), ("b", ["x", "y"]))):
        values = np.exp(model.columns_[j].log_density(np.array(labels, dtype=object), 1.0, 1e-9)).T
        joint = joint * Factor({"y": ["u", "v"], name: labels}, values)
    for cells, evidence in ((["r", "y"], {"a": "r", "b": "y"}), ([None, "y"], {"b": "y"}), ([None, None], {})):
        expected = joint.given(evidence).marginal("y").normalized().values
        np.testing.assert_allclose(model.predict_proba(np.array([cells], dtype=object))[0], expected)


def test_missing_cells_are_left_out_and_rows_without_cells_get_the_prior() -> None:
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    holes = X.copy()
    holes[::7, 0] = np.nan
    model = MixedNB().fit(holes, y)
    kept = ~np.isnan(holes[:, 0])
    alone = GaussianNB().fit(holes[kept][:, :1], y[kept])
    np.testing.assert_allclose(model.columns_[0].center, alone.theta_[:, 0])
    np.testing.assert_allclose(model.predict_proba([[np.nan, np.nan]]), [[0.5, 0.5]])


def test_every_kind_of_missing_cell_is_missing() -> None:
    frame = pd.DataFrame(
        {
            "word": pd.array(["x", pd.NA, "y", "x"], dtype="string"),
            "number": [1.0, 2.0, None, 3.0],
            "level": pd.Categorical(["u", "v", "u", None]),
            "count": pd.array([1, None, 2, 3], dtype="Int64"),
        }
    )
    model = MixedNB(columns={"count": "poisson"}).fit(frame, [0, 1, 1, 0])
    assert model.kinds_ == ["categorical", "gaussian", "categorical", "poisson"]
    plain = frame.astype(object).where(frame.notna(), None)
    np.testing.assert_array_equal(model.predict_proba(frame), model.predict_proba(plain))


def test_unseen_categories_tell_nothing() -> None:
    model = MixedNB().fit(np.array([["a", 1.0], ["b", 2.0]], dtype=object), [0, 1])
    for cell in ("never", None):
        one = model.predict_proba(np.array([[cell, 1.2]], dtype=object))
        np.testing.assert_allclose(one, model.predict_proba(np.array([[None, 1.2]], dtype=object)))


def test_batches_may_bring_new_categories_and_classes() -> None:
    frame, y = mixed_frame()
    order = np.argsort(y, kind="stable")  # the classes come one after the other
    whole = MixedNB(columns=KINDS).fit(frame, y)
    parts = MixedNB(columns=KINDS)
    for place in np.array_split(order, 6):
        parts.partial_fit(frame.iloc[place], y[place])
    np.testing.assert_allclose(parts.predict_proba(frame), whole.predict_proba(frame), rtol=1e-9)
    np.testing.assert_array_equal(parts.classes_, whole.classes_)


def test_kernel_columns() -> None:
    generator = np.random.default_rng(0)
    X = np.concatenate([generator.normal(-3, 0.5, 100), generator.normal(3, 0.5, 100), generator.normal(0, 0.5, 200)])
    y = np.repeat([0, 1], 200)  # class 0 has two bumps around class 1
    model = MixedNB(columns=["kde"]).fit(X[:, None], y)
    assert (model.predict([[-3.0], [0.0], [3.0]]) == [0, 1, 0]).all()
    grid = np.linspace(-12, 12, 4001)
    density = np.exp(model.columns_[0].log_density(grid, 1.0, 1e-9))
    np.testing.assert_allclose(density.sum(axis=0) * (grid[1] - grid[0]), 1, rtol=1e-6)
    weights = generator.integers(0, 3, 400)
    np.testing.assert_allclose(
        MixedNB(columns=["kde"]).fit(X[:, None], y, weights).predict_proba(X[:20, None]),
        MixedNB(columns=["kde"]).fit(np.repeat(X, weights)[:, None], np.repeat(y, weights)).predict_proba(X[:20, None]),
    )


def test_saved_models_answer_the_same(tmp_path: Any) -> None:
    frame, y = mixed_frame(60)
    model = MixedNB(columns={**KINDS, "height": "kde"}).fit(frame, y)
    certus.save(model, tmp_path / "m.certus")
    again = certus.load(tmp_path / "m.certus")
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MixedNB(columns=["gaussian"]).fit([[1, 2]], [0]), "must name 2 kinds"),
        (lambda: MixedNB(columns=["circle", "kde"]).fit([[1, 2]], [0]), "kinds among"),
        (lambda: MixedNB(columns={"x": "kde"}).fit([[1, 2]], [0]), "by name or position"),
        (lambda: MixedNB(columns=["poisson"]).fit([[-1.0]], [0]), "must hold counts"),
        (lambda: MixedNB(columns=["bernoulli"]).fit([[2.0]], [0]), "must hold 0 and 1"),
        (lambda: MixedNB(columns=["exponential"]).fit([[-2.0]], [0]), "not negative"),
        (lambda: MixedNB(columns=["gaussian"]).fit([["tall"]], [0]), "could not convert"),
        (lambda: MixedNB().fit([[np.inf]], [0]), "infinity"),
        (lambda: MixedNB().fit([[1e170], [2e170]], [0, 1]), "must hold magnitudes up to"),
        (lambda: MixedNB(class_prior=[0.5, 0.6]).fit([[1.0], [2.0]], [0, 1]), "class_prior must sum to 1"),
        (lambda: MixedNB(class_prior=[1.0]).fit([[1.0], [2.0]], [0, 1]), "class_prior must hold 2"),
        (lambda: MixedNB().fit([[1.0], [2.0]], [0]), "inconsistent"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
