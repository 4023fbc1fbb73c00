"""The report's map of the rows, and the network that it draws where the winner is one."""

from __future__ import annotations

import base64
import re

import numpy as np
import polars as pl
import pytest

from certus.evaluation import RowMapDisplay
from certus.workflow import Study, study
from certus.workflow.columns import Columns
from certus.workflow.findings.row_map import map_rows
from certus.workflow.tasks import MultiLabelTask, RegressionTask
from certus.workflow.tasks.kind_of_task import Task

RNG = np.random.default_rng(0)


def flowers(rows: int = 300) -> pl.DataFrame:
    """Three kinds that two columns tell apart; <b> and & must not be read as marks of a page."""
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 3, rows)
    x = rng.normal(size=(rows, 3))
    x[:, 0] += 4.0 * kind
    names = np.array(["a<b>", "b & c", "plain"])
    return pl.DataFrame(
        {
            "height": x[:, 0],
            "width": [None if row % 20 == 3 else 10.0 * x[row, 1] + 3.0 * kind[row] for row in range(rows)],
            "color": np.where(kind == 1, "red", rng.choice(["red", "blue"], rows)),
            "kind": names[kind],
        }
    )


@pytest.fixture(scope="module")
def network() -> Study:
    return study(flowers(), target="kind", candidates=["BayesianNetworkClassifier"], trials=1, threads=1)


def test_rows_are_mapped_with_a_proved_interval(network: Study) -> None:
    found = network.findings.row_map
    assert found is not None
    assert found.points.shape == (len(network.split.learn), 2)
    assert set(found.values) == {"a<b>", "b & c", "plain"}
    low, high = found.interval
    exact = np.var(found.points, axis=0).sum() / _variance(network)
    assert low - 1e-9 <= sum(found.shares) <= high + 1e-9
    np.testing.assert_allclose(exact, sum(found.shares), rtol=1e-5)  # points are rounded
    assert found.told in network.report
    assert "explain" in found.told
    assert network.to_dict()["findings"]["row_map"]["rows"] == len(found.points)


def _variance(network: Study) -> float:
    encoded = network.best.model_[0].__class__(numbers=["height", "width"], categories=["color"])
    return float(np.var(encoded.fit_transform(flowers()[network.split.learn]), axis=0).sum())


def test_every_picture_has_a_name_for_those_who_hear_it(network: Study) -> None:
    svgs = re.findall(r"<svg[^>]*>\s*<title>[^<]+</title>", network.report)
    assert len(svgs) == len(re.findall("<svg", network.report)) > 5
    assert all('role="img" aria-label="' in one for one in svgs)
    assert "a&lt;b&gt;" in network.report
    assert "a<b>" not in network.report


def test_a_winning_network_is_drawn_in_the_words_of_the_table(network: Study) -> None:
    found = network.findings.network
    assert found is not None
    assert set(found.shown.nodes) == {"height", "width", "color", "kind"}
    assert found.target == "kind"
    assert set(found.blanket) == {"height", "width", "color"}
    drawn = re.search(r'src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]+)"', network.report)
    assert drawn is not None
    svg = base64.b64decode(drawn[1]).decode()
    assert all(f">{name}<" in svg for name in found.shown.nodes)
    assert "kind → height" in drawn[2]
    assert "The Markov blanket of kind" in network.report


def test_explanations_add_up_to_the_odds_of_the_prediction(network: Study) -> None:
    found = network.findings.network
    assert found is not None
    assert len(found.explained) == 3
    given, truth = network.evaluation.probabilities, network.evaluation.truth
    hardest = np.argsort(given[np.arange(len(truth)), network.task.positions(truth)], kind="stable")[:3]
    for one, row in zip(found.explained, hardest, strict=True):
        assert one.truth == truth[row]
        labels = [str(label) for label in network.task.labels]
        first, second = (given[row][labels.index(name)] for name in (one.prediction, one.rival))
        np.testing.assert_allclose(one.log_odds, np.log(first / second), atol=1e-6)
        np.testing.assert_allclose(one.log_odds, one.before + sum(added for *_, added in one.cells), atol=1e-6)
        assert one.prediction != one.rival
        assert one.rival == one.truth or one.prediction == one.truth
    assert network.to_dict()["findings"]["network"]["markov_blanket"] == found.blanket


def test_nothing_of_sealed_rows_is_explained(tmp_path: object) -> None:
    sealed = study(
        flowers(), target="kind", candidates=["BayesianNetworkClassifier"], trials=1, threads=1,
        sealed=True, looks=f"{tmp_path}/looks.sqlite",
    )  # fmt: skip
    assert sealed.findings.network is not None
    assert sealed.findings.network.explained == []


def test_groups_and_numbers_color_the_rows() -> None:
    groups = study(flowers().drop("kind"), trials=3, threads=1)
    assert groups.findings.row_map is not None
    assert set(groups.findings.row_map.values) == {str(one.number) for one in groups.findings.clusters}
    assert "The rows by cluster" in groups.report
    prices = study(flowers().drop("kind"), target="height", trials=2, threads=1)
    assert prices.findings.row_map is not None
    assert prices.findings.row_map.values.dtype == float
    assert prices.findings.network is None
    assert "The rows by height" in prices.report


def test_colors_of_targets() -> None:
    several = MultiLabelTask.colors(None, np.array([["yes", "no"], ["no", "no"]]))  # type: ignore[arg-type]
    assert several.tolist() == ["yes · no", "no · no"]
    assert RegressionTask.colors(None, np.array([1.5])).tolist() == [1.5]  # type: ignore[arg-type]
    assert Task.colors(None, np.array([1, 2])).tolist() == ["1", "2"]  # type: ignore[arg-type]


def test_many_rows_are_sampled_and_a_line_is_not_mapped() -> None:
    frame = pl.DataFrame(RNG.normal(size=(5000, 3)), schema=["a", "b", "c"])
    columns = Columns(numbers=["a", "b", "c"])
    found = map_rows(frame, columns, frame["a"].to_numpy(), "a", seed=0)
    assert found is not None
    assert "3000 of 5000 learning rows" in found.told
    assert map_rows(frame.select("a"), Columns(numbers=["a"]), frame["a"].to_numpy(), "a", seed=0) is None
    assert map_rows(frame[:5], columns, frame["a"][:5].to_numpy(), "a", seed=0) is None
    flat = frame.with_columns(b=pl.lit(1.0), c=pl.lit(2.0))
    assert map_rows(flat, columns, frame["a"].to_numpy(), "a", seed=0) is None


def test_a_display_of_rows_shows_the_frequent_labels_and_refuses_other_shapes() -> None:
    points, labels = RNG.normal(size=(2000, 2)), RNG.choice([f"label {k}" for k in range(12)], 2000)
    svg = RowMapDisplay(points, labels, title="kind").svg()
    assert "others" in svg
    assert len(re.findall(r"label \d+<", svg)) == 6
    assert svg.count("<use") < 800
    with pytest.raises(ValueError, match="points must be two numbers for each of the 3 values"):
        RowMapDisplay(points, ["a", "b", "c"])
