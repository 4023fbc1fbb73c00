"""Tables of networks from complete and incomplete rows."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from certus.graphical import BayesianNetwork, learn_tables
from certus.graphical.learning import _native_calls
from certus.graphical.learning.parameters import row_sums
from certus.graphical.learning.parameters.row_sums import RowSums
from certus.graphical.learning.parameters.table_shapes import TableShapes
from certus.graphical.networks.tables.coded_columns import coded_column
from certus.guarantees import CertificateError
from tests.graphical.all_networks import parent_lists, random_table

STATES = {"X1": ["T", "F"], "X2": ["R", "G", "B"], "X3": ["T", "F"]}
FORK = BayesianNetwork({"X2": ["X1"], "X3": ["X1"]}, STATES)
CHAIN = BayesianNetwork({"X1": ["X2"], "X3": ["X1"]}, STATES)


def rows_of(*rows: str) -> dict[str, list[str | None]]:
    return {f"X{column + 1}": [None if row[column] == "?" else row[column] for row in rows] for column in range(3)}


COMPLETE = rows_of("TRF", "TRF", "TGT", "FRF", "TBT", "TBT", "TBT")
INCOMPLETE = rows_of("TRF", "?RF", "TGT", "F?F", "TBT", "T?T", "TBT")
CLOSE = {"tol": 1e-15, "max_iter": 3000}


def test_the_worked_example() -> None:
    found = learn_tables(CHAIN, COMPLETE)
    assert found.network.table("X1") == pytest.approx(np.array([[2 / 3, 1 / 3], [1, 0], [1, 0]]))
    assert found.history == pytest.approx([-12.7583248], abs=1e-7)
    assert learn_tables(FORK, COMPLETE).history == pytest.approx([-12.7583248], abs=1e-7)
    counts = found.counts["X1"]
    assert math.prod((found.network.table("X1") ** counts).ravel()) == pytest.approx(4 / 27)
    assert found.report.check(COMPLETE)


def test_imaginary_counts() -> None:
    found = learn_tables(CHAIN, COMPLETE, alpha=1.0)
    assert found.network.table("X1")[:, 0] == pytest.approx([3 / 5, 2 / 3, 4 / 5])
    assert found.report.check(COMPLETE)
    by_node = learn_tables(CHAIN, COMPLETE, alpha={"X1": [[1.0, 1.0]] * 3})
    assert by_node.network.table("X1") == pytest.approx(found.network.table("X1"))
    assert by_node.network.table("X3") == pytest.approx(learn_tables(CHAIN, COMPLETE).network.table("X3"))


def test_rounds_of_the_incomplete_example() -> None:
    found = learn_tables(FORK, INCOMPLETE, **CLOSE)
    first = [-14.503975, -11.208160, -10.994720, -10.864587, -10.793543, -10.756118]
    assert found.history[:6] == pytest.approx(first, abs=1e-6)
    assert found.history[-1] == pytest.approx(-10.7134940, abs=1e-7)
    q = (7 - 3 * math.sqrt(5)) / 2
    assert found.network.table("X1")[0] == pytest.approx((5 + q) / 7)
    assert found.network.table("X2")[0] == pytest.approx([(1 + q) / (4 + q), 1 / (4 + q), 2 / (4 + q)], abs=1e-7)
    assert found.network.table("X2")[1, 0] == pytest.approx(1.0, abs=1e-9)
    assert found.network.table("X3")[:, 1] == pytest.approx([(1 + q) / (5 + q), 1.0], abs=1e-7)
    assert found.converged
    assert found.report.check(INCOMPLETE)


def test_a_bad_start_stays_at_a_worse_point() -> None:
    tables = {"X1": [0.5, 0.5], "X2": [[1 / 3] * 3, [0.0, 0.5, 0.5]], "X3": [[0.5, 0.5]] * 2}
    found = learn_tables(FORK, INCOMPLETE, start=FORK.with_tables(tables), **CLOSE)
    assert found.history[-1] == pytest.approx(-11.9645001, abs=1e-7)
    more = learn_tables(FORK, INCOMPLETE, start=FORK.with_tables(tables), n_init=3, random_state=0, **CLOSE)
    assert more.history[-1] == pytest.approx(-10.7134940, abs=1e-6)


def test_limits_with_imaginary_counts() -> None:
    found = learn_tables(FORK, INCOMPLETE, alpha=1.0, **CLOSE).network
    assert found.table("X1")[0] == pytest.approx(0.7195663, abs=1e-7)
    assert found.table("X2")[0] == pytest.approx([0.331202, 0.267519, 0.401279], abs=1e-6)
    assert found.table("X2")[1] == pytest.approx([0.432448, 0.283776, 0.283776], abs=1e-6)
    assert found.table("X3")[0, 0] == pytest.approx(0.668798, abs=1e-6)
    assert found.table("X3")[1, 1] == pytest.approx(0.716224, abs=1e-6)


def brute(network: BayesianNetwork, codes: np.ndarray) -> np.ndarray:
    """The log-probability of the observed cells of every row, by all completions."""
    shapes = TableShapes(network)
    found = []
    for row in codes:
        choices = [range(card) if code < 0 else [code] for code, card in zip(row, shapes.cards, strict=True)]
        whole = np.array(list(itertools.product(*choices)), dtype=np.int32)
        found.append(np.exp(_native_calls.row_likelihoods(network._arrays, whole)).sum())
    return np.log(found)


@given(st.integers(0, 10**6), st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_missing_cells_are_summed_over(seed: int, nodes: int) -> None:
    rng = np.random.default_rng(seed)
    lists = parent_lists(nodes)
    names = [f"v{node}" for node in range(nodes)]
    parents = {name: [names[p] for p in own] for name, own in zip(names, lists[rng.integers(len(lists))], strict=True)}
    states = {name: list(range(int(rng.integers(1, 4)))) for name in names}
    shapes = TableShapes(BayesianNetwork(parents, states))
    network = shapes.network.with_tables(shapes.split(shapes.random(rng, range(nodes))))
    codes = np.array([[rng.integers(-1, card) for card in shapes.cards] for _ in range(30)], dtype=np.int32)
    expected = brute(network, codes)
    assert _native_calls.row_likelihoods(network._arrays, codes) == pytest.approx(expected, abs=1e-9)
    found, counts = _native_calls.expected_counts(network._arrays, codes, np.ones(30), shapes.cells)
    assert found == pytest.approx(expected, abs=1e-9)
    assert shapes.row_sums(counts).reshape(-1) == pytest.approx(shapes.row_sums(counts))
    assert counts[: shapes.begins[1]].sum() == pytest.approx(30.0)
    step = 1e-6  # Fisher's identity: d likelihood / d ln theta = expected count
    place = int(rng.integers(shapes.cells))
    values = np.concatenate([network.table(name).ravel() for name in names])
    moved = values.copy()
    moved[place] *= math.exp(step)
    after = _native_calls.row_likelihoods(shapes.native(moved), codes)
    complete = _native_calls.expected_counts(shapes.native(moved), codes, np.ones(30), shapes.cells)[0]
    assert (complete.sum() - expected.sum()) / step == pytest.approx(counts[place], abs=1e-3)
    assert np.isfinite(after).all()


def test_trees_and_completions_count_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    names = [f"v{node}" for node in range(7)]
    parents = {"v1": ["v0"], "v2": ["v0"], "v3": ["v1", "v2"], "v4": ["v3"], "v5": ["v3", "v0"], "v6": ["v4"]}
    shapes = TableShapes(BayesianNetwork(parents, {name: ["a", "b", "c"] for name in names}))
    codes = rng.integers(0, 3, size=(50, 7)).astype(np.int32)
    codes[rng.random(codes.shape) < 0.6] = -1
    values, weights = shapes.random(rng, range(7)), rng.random(50)
    found = RowSums(shapes, codes).counts(values, weights)
    alone = RowSums(shapes, codes, observed_only=True).likelihoods(values)
    monkeypatch.setattr(row_sums, "FEW", 0)
    likelihoods, counts = RowSums(shapes, codes).counts(values, weights)
    assert likelihoods == pytest.approx(found[0], abs=1e-9)
    assert counts == pytest.approx(found[1], abs=1e-9)
    assert RowSums(shapes, codes, observed_only=True).likelihoods(values) == pytest.approx(alone, abs=1e-9)
    assert alone == pytest.approx(likelihoods, abs=1e-9)


def test_a_latent_class_is_found() -> None:
    structure = BayesianNetwork(
        {f"x{j}": ["class"] for j in range(5)},
        {"class": ["a", "b"], **{f"x{j}": ["0", "1"] for j in range(5)}},
    )
    truth = structure.with_tables({"class": [0.4, 0.6], **{f"x{j}": [[0.9, 0.1], [0.2, 0.8]] for j in range(5)}})
    rows = truth.sample(3000, random_state=0).drop("class")
    found = learn_tables(structure, rows, n_init=2, random_state=1, max_iter=500)
    small = int(np.argmin(found.network.table("class")))
    assert found.network.table("class")[small] == pytest.approx(0.4, abs=0.05)
    assert found.network.table("x0")[small, 0] == pytest.approx(0.9, abs=0.05)
    assert found.report.check(rows)
    assert (np.diff(found.history) > -1e-9).all()


def test_frames_of_any_kind_and_threads_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [learn_tables(FORK, kind(INCOMPLETE)).network for kind in (dict, pl.DataFrame, pd.DataFrame)]
    assert found[0] == found[1] == found[2]
    rows = FORK.with_tables({"X1": [0.5, 0.5], "X2": [[0.2, 0.3, 0.5]] * 2, "X3": [[0.5, 0.5]] * 2}).sample(
        9000, random_state=0
    )
    rows = rows.with_columns(pl.when(pl.int_range(pl.len()) % 3 == 0).then(None).otherwise(pl.col("X1")).alias("X1"))
    several = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        several.append(learn_tables(FORK, rows).network)
    assert several[0] == several[1]


def test_intervals_hold_at_their_level() -> None:
    network = BayesianNetwork({}, {"x": ["a", "b"]}, {"x": [0.3, 0.7]})
    held = 0
    for seed in range(400):
        low, high = learn_tables(network, network.sample(25, random_state=seed)).intervals(0.9)["x"][0]
        held += low <= 0.3 <= high
    assert held / 400 >= 0.9 - 3 * math.sqrt(0.09 / 400)
    with pytest.raises(ValueError, match="Intervals need rows that were counted"):
        learn_tables(FORK, INCOMPLETE).intervals()


def test_parents_that_never_occur_have_uniform_rows_and_open_intervals() -> None:
    found = learn_tables(CHAIN, rows_of("TRF", "FRF"))
    assert found.network.table("X1")[1:].tolist() == [[0.5, 0.5]] * 2
    assert found.intervals()["X1"][1].tolist() == [[0.0, 1.0]] * 2


def test_changed_certificates_are_refused() -> None:
    counted = learn_tables(CHAIN, COMPLETE).report[0]
    climbed = learn_tables(FORK, INCOMPLETE).report[0]
    with pytest.raises(CertificateError):
        dataclasses.replace(counted, value=0.0).check()
    with pytest.raises(CertificateError, match="the counts are others"):
        counted.check(rows_of("TRF", "TRF", "TGT", "FRF", "TBT", "TBT", "FBT"))
    with pytest.raises(CertificateError, match="log-likelihood of these rows"):
        climbed.check(COMPLETE)
    lower = {**climbed.witness, "history": [*climbed.witness["history"], -12.0]}
    with pytest.raises(CertificateError):
        dataclasses.replace(climbed, witness=lower).check()


def test_errors_help() -> None:
    with pytest.raises(ValueError, match="must hold states of the node or missing cells, got 'Z' in row 1"):
        learn_tables(FORK, rows_of("TRF", "ZRF"))
    tables = {"X1": [1.0, 0.0], "X2": [[1.0, 0.0, 0.0]] * 2, "X3": [[1.0, 0.0]] * 2}
    with pytest.raises(ValueError, match=r"positive probability, got 0 for .*\nHint: alpha > 0"):
        learn_tables(FORK, INCOMPLETE, start=FORK.with_tables(tables))
    with pytest.raises(ValueError, match="start must be a network with the nodes"):
        learn_tables(FORK, INCOMPLETE, start=CHAIN)
    with pytest.raises(ValueError, match="alpha must hold numbers of at least 0"):
        learn_tables(FORK, COMPLETE, alpha={"X9": 1.0})
    with pytest.raises(ValueError, match="at least one row"):
        learn_tables(FORK, {"X1": [], "X2": [], "X3": []})
    with pytest.warns(ConvergenceWarning, match="2 rounds without reaching"):
        learn_tables(FORK, INCOMPLETE, max_iter=2)
    names = [f"v{node}" for node in range(24)]
    star = BayesianNetwork({"y": names}, {"y": ["0", "1"], **{name: ["0"] for name in names}})
    assert learn_tables(star, {"y": ["0", "1"]}).converged
    chain = BayesianNetwork({b: [a] for a, b in itertools.pairwise(names)}, {name: ["0", "1"] for name in names})
    assert learn_tables(chain, {"v0": ["0", "1"]}, random_state=0).converged  # 8 million completions of every row


def test_random_tables_have_the_likelihood_of_the_best_structure_score() -> None:
    table = random_table(9, 4, 70)
    states = {name: sorted(set(cells)) for name, cells in table.items()}
    found = learn_tables(BayesianNetwork({"v1": ["v0"], "v2": ["v0", "v1"]}, states), table)
    assert found.report[0].value < 1e-9
    assert found.report.check(table)


def test_codes_of_many_cells_are_those_of_few() -> None:
    for cells, labels in (
        (["b", None, "a", "c"], ["c", "a", "b", 7]),
        ([3, 1, 2, 3], [3, 1, 2]),
        ([True, False, None, True], [False, True]),
    ):
        few, many = pl.Series(cells), pl.Series(cells * 2000)
        assert (coded_column(many, "x", labels) == np.tile(coded_column(few, "x", labels), 2000)).all()
    for cells, labels in ((["a", "z"], ["a"]), ([1, 9], [1, 2]), ([1, 0], [1, 2])):
        with pytest.raises(ValueError, match=f"got {cells[1]!r} in row 1"):
            coded_column(pl.Series(cells * 4000), "x", labels)
