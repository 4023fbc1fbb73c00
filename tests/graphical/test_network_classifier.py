"""Classification by networks, and numbers cut into intervals."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest

import certus
from certus.bayes import CategoricalNB
from certus.graphical import BayesianNetwork, BayesianNetworkClassifier, Discretizer
from certus.graphical.learning.columns.cut_points import cut_points, interval_names

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 2, 400)
FIRST = np.where(RNG.random(400) < 0.8, LABELS, RNG.integers(0, 3, 400))
SECOND = np.where(RNG.random(400) < 0.7, FIRST, RNG.integers(0, 3, 400))
WORDS = pd.DataFrame({"a": [f"s{v}" for v in FIRST], "b": [f"s{v}" for v in SECOND]})
Y = np.array(["no", "yes"])[LABELS]


def test_naive_structure_is_naive_bayes() -> None:
    model = BayesianNetworkClassifier(structure="naive").fit(WORDS, Y)
    # The prior of the classes has imaginary counts here, as all tables do.
    counts = np.bincount(LABELS) + 1.0
    peer = CategoricalNB(class_prior=counts / counts.sum()).fit(np.column_stack([FIRST, SECOND]), Y)
    table = np.column_stack([FIRST, SECOND])
    assert model.predict_joint_log_proba(WORDS) == pytest.approx(peer.predict_joint_log_proba(table), abs=1e-12)


@pytest.mark.parametrize("structure", ["naive", "tan", "hill_climb"])
def test_predictions_are_inference_in_the_network(structure: str) -> None:
    rows = WORDS.copy().astype(object)
    rows.iloc[::7, 0] = None
    rows.iloc[::5, 1] = None
    model = BayesianNetworkClassifier(structure=structure, random_state=0).fit(rows, Y)
    for place in (0, 1, 5, 7):
        evidence = {name: cell for name, cell in rows.iloc[place].items() if cell is not None}
        expected = model.network_.query("class", evidence).values
        assert model.predict_proba(rows.iloc[[place]])[0] == pytest.approx(expected, abs=1e-12)


def test_a_label_that_training_did_not_see_is_missing() -> None:
    model = BayesianNetworkClassifier().fit(WORDS, Y)
    unseen = model.predict_proba(pd.DataFrame({"a": ["s9"], "b": ["s1"]}))
    missing = model.predict_proba(pd.DataFrame({"a": [None], "b": ["s1"]}))
    assert unseen == pytest.approx(missing)


@pytest.mark.parametrize("structure", ["naive", "tan", "hill_climb"])
def test_explanations_add_up_to_the_log_odds(structure: str) -> None:
    rows = WORDS.copy().astype(object)
    rows.iloc[::6, 1] = None
    model = BayesianNetworkClassifier(structure=structure, random_state=0).fit(rows, Y)
    found = model.explain(rows)
    joint = model.predict_joint_log_proba(rows)
    assert found["log_odds"].to_numpy() == pytest.approx(joint[:, 1] - joint[:, 0], abs=1e-12)
    total = (found["before"] + found["a"] + found["b"]).to_numpy()
    assert total == pytest.approx(found["log_odds"].to_numpy(), abs=1e-12)
    if structure != "hill_climb":
        assert (found["b"].to_numpy()[::6] == 0.0).all()
    if structure == "naive":
        table = model.network_.table("a")
        code = model.network_.states("a").index("s1")
        place = int(np.flatnonzero(rows["a"] == "s1")[0])
        assert found["a"][place] == pytest.approx(math.log(table[1, code] / table[0, code]))


def test_odds_without_imaginary_counts_may_be_infinite() -> None:
    frame = pd.DataFrame({"a": ["x", "y"] * 10, "b": ["x", "y"] * 10})
    model = BayesianNetworkClassifier(structure="naive", alpha=0.0).fit(frame, ["p", "q"] * 10)
    found = model.explain(frame.head(2))
    assert found["log_odds"].to_list() == [-math.inf, math.inf]
    assert found["a"].to_list() == [-math.inf, math.inf]
    assert found["b"].to_list() == [0.0, 0.0]


def test_a_column_without_any_cell() -> None:
    frame = pd.DataFrame({"a": [None] * 20, "b": [0.0, 1.0] * 10})
    model = BayesianNetworkClassifier().fit(frame, ["p", "q"] * 10)
    assert model.predict(pd.DataFrame({"a": ["z"], "b": [1.0]})).tolist() == ["q"]
    with pytest.raises(ValueError, match="Column 1 must hold numbers, as it did in training"):
        model.predict(pd.DataFrame({"a": ["z"], "b": ["much"]}))


def test_several_classes_are_explained_against_the_first() -> None:
    labels = FIRST
    model = BayesianNetworkClassifier().fit(WORDS[["b"]], labels)
    found = model.explain(WORDS[["b"]].head(4))
    assert found["class"].to_list() == [1, 2] * 4
    assert found["row"].to_list() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_given_network_names_the_label() -> None:
    given = BayesianNetwork({"target": ["a"], "b": ["a", "target"]}, {name: ["?"] for name in ("target", "a", "b")})
    model = BayesianNetworkClassifier(structure=given).fit(WORDS, Y)
    assert model.target_ == "target"
    assert set(model.network_.edges) == {("a", "target"), ("a", "b"), ("target", "b")}
    with pytest.raises(ValueError, match="must have the columns and one node more"):
        BayesianNetworkClassifier(structure=BayesianNetwork({}, {"a": [0], "b": [0]})).fit(WORDS, Y)


def test_numbers_and_labels_together_survive_a_file(tmp_path) -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"size": rng.normal(LABELS * 2.0), "kind": WORDS["a"].to_list(), "code": FIRST})
    model = BayesianNetworkClassifier(categorical_features=["code"]).fit(frame, Y)
    assert model.cuts_[1] is None
    assert model.cuts_[2] is None
    assert model.score(frame, Y) > 0.85
    certus.save(model, tmp_path / "m.certus")
    again = certus.load(tmp_path / "m.certus")
    assert (again.predict_proba(frame) == model.predict_proba(frame)).all()
    with pytest.raises(ValueError, match="categorical_features must name columns"):
        BayesianNetworkClassifier(categorical_features=["lost"]).fit(frame, Y)


def test_rows_that_lack_many_linked_cells() -> None:
    rng = np.random.default_rng(2)
    table = rng.integers(0, 3, size=(60, 24)).astype(object).astype(str).astype(object)
    table[0] = None
    names = [f"x{j}" for j in range(24)]
    chain = BayesianNetwork(
        {"label": ["x0"], **{b: [a] for a, b in pairwise(names)}},
        {name: ["?"] for name in [*names, "label"]},
    )
    frame = pd.DataFrame(table, columns=names)
    frame.iloc[1, 1:23] = None
    model = BayesianNetworkClassifier(structure=chain).fit(frame, rng.integers(0, 2, 60))
    evidence = {"x0": frame.iloc[1, 0], "x23": frame.iloc[1, 23]}
    expected = model.network_.query("label", evidence).values
    assert model.predict_proba(frame.iloc[[1]])[0] == pytest.approx(expected, abs=1e-12)


def test_cuts_of_the_description_length() -> None:
    values = np.arange(40.0)
    codes = (values >= 20).astype(np.intp)
    assert cut_points(values, np.ones(40), "mdl", 5, codes).tolist() == [19.5]
    noise = np.random.default_rng(0).integers(0, 2, 40)
    assert not len(cut_points(values, np.ones(40), "mdl", 5, noise))
    # Accepted exactly when gain > (log2(N - 1) + log2(3^k - 2) - k H + k1 H1 + k2 H2) / N; one cut of two pure halves
    # of N rows gains 1 bit and costs (log2(N - 1) + log2 7 - 2) / N.
    for rows in range(2, 12, 2):
        found = cut_points(np.arange(float(rows)), np.ones(rows), "mdl", 5, np.repeat([0, 1], rows // 2))
        assert bool(len(found)) == (rows > math.log2(rows - 1) + math.log2(7) - 2)
    doubled = cut_points(np.arange(6.0), np.full(6, 2.0), "mdl", 5, np.repeat([0, 1], 3))
    assert doubled.tolist() == [2.5]


def test_quantiles_and_widths() -> None:
    assert cut_points(np.arange(10.0), np.ones(10), "quantile", 2, None).tolist() == [4.0]
    assert cut_points(np.array([0.0, 1.0, 10.0]), np.ones(3), "width", 2, None).tolist() == [5.0]
    assert not len(cut_points(np.full(5, 3.0), np.ones(5), "width", 4, None))
    assert not len(cut_points(np.full(5, np.nan), np.ones(5), "quantile", 4, None))
    assert interval_names(np.array([1.0, 1.0 + 1e-10])) == ["<= 1", "(1, 1.0000000001]", "> 1.0000000001"]


def test_intervals_of_mixed_tables() -> None:
    table = {"size": [1.0, None, 3.0, 10.0], "color": ["r", "g", None, "b"]}
    model = Discretizer(method="width", bins=3).fit(table)
    found = model.intervals(table)
    assert found["size"].to_list() == ["<= 4", None, "<= 4", "> 7"]
    assert found["color"].to_list() == ["r", "g", None, "b"]
    assert model.transform(table)[3].tolist() == [2.0, "b"]
    with pytest.raises(ValueError, match="infinity in row 0"):
        model.transform({"size": [np.inf], "color": ["r"]})
    with pytest.raises(ValueError, match="must have labels y"):
        Discretizer(method="mdl").fit(table)
