"""Who is offered to a race: networks for labels and numbers, mixtures for groups; and what a study makes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import adjusted_rand_score

import certus
from certus.cluster import KMeans
from certus.mixture import GaussianMixture
from certus.workflow import study
from certus.workflow.findings.density import LOWEST_SHARE, find_density
from certus.workflow.models import MixtureGroups, distance_ratios
from certus.workflow.race.portfolio import recipes
from certus.workflow.race.trials import opening

ROWS = 240
RNG = np.random.default_rng(0)


def table(kind: str) -> pl.DataFrame:
    """Numbers with holes, categories, and a target that both decide."""
    x, color = RNG.normal(size=(ROWS, 3)), RNG.choice(["red", "blue", "green"], ROWS)
    score = x[:, 0] + 2.0 * (color == "red") + 0.1 * RNG.normal(size=ROWS)
    frame = pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "color": color})
    holes = pl.Series(RNG.random(ROWS) < 0.1)
    frame = frame.with_columns(b=pl.when(holes).then(None).otherwise(pl.col("b")))
    return frame.with_columns(y=pl.Series(np.where(score > 0.7, "yes", "no") if kind == "labels" else score))


@pytest.mark.parametrize(
    ("learners", "paths"),
    [
        ("classification", {"certus.graphical.BayesianNetworkClassifier", "certus.neural.TabularMLPClassifier"}),
        ("regression", {"certus.neural.TabularMLPRegressor"}),
        ("clustering", {"certus.mixture.GaussianMixture"}),
    ],
)
def test_networks_and_mixtures_are_offered(learners: str, paths: set[str]) -> None:
    assert paths <= {recipe.path for recipe in recipes(learners)}


@pytest.mark.parametrize("learners", ["classification", "regression"])
def test_long_training_comes_after_everybody_else(learners: str) -> None:
    """Quick settings of a network run among the others; its defaults wait until all others had their turn."""
    trials = opening(recipes(learners), lambda recipe: recipe.seconds(1000, 20))
    last = trials[-1].candidate
    assert (last.title[:10], dict(last.parameters)) == ("TabularMLP", {})
    assert [trial.candidate.title[:10] for trial in trials].count("TabularMLP") == 2
    assert len(trials) < 24  # settings near the best ones are drawn in a race of the usual length


@pytest.mark.parametrize(
    ("kind", "learner"),
    [("labels", "BayesianNetworkClassifier"), ("labels", "TabularMLPClassifier"), ("numbers", "TabularMLPRegressor")],
)
def test_a_winner_is_saved_and_predicts_the_same(kind: str, learner: str, tmp_path: Path) -> None:
    frame = table(kind)
    result = study(frame, target="y", candidates=[learner], trials=1, threads=1)
    assert result.winner.title == learner
    assert result.verdict == "better"
    result.save(tmp_path / "out")
    again = certus.load(tmp_path / "out" / "model.certus")
    np.testing.assert_array_equal(again.predict(frame), result.predict(frame))
    assert again.predict(frame.drop("y").with_columns(color=pl.lit("purple"))).shape == (ROWS,)
    assert result.certificates.check()


def test_components_of_a_mixture_are_groups_with_centers(tmp_path: Path) -> None:
    X = np.concatenate([RNG.normal(size=(80, 2)), 9.0 + RNG.normal(size=(80, 2))])
    model = MixtureGroups(GaussianMixture(2, random_state=0)).fit(X)
    means = KMeans(2, random_state=0).fit(X)
    assert adjusted_rand_score(model.predict(X), means.predict(X)) == 1.0
    np.testing.assert_allclose(distance_ratios(model, X), distance_ratios(means, X), atol=1e-3)
    np.testing.assert_allclose(model.transform(X)[:, 1], np.linalg.norm(X - model.cluster_centers_[1], axis=1))


def test_a_row_nearer_to_another_center_than_to_its_own_has_no_credit() -> None:
    """Components of a mixture overlap: what is judged is the own center, not the nearest one."""

    class Crossed:
        def transform(self, _X: object) -> np.ndarray:
            return np.array([[1.0, 4.0], [1.0, 4.0]])

        def predict(self, _X: object) -> np.ndarray:
            return np.array([0, 1])

    np.testing.assert_allclose(distance_ratios(Crossed(), pl.DataFrame()), [0.25, 1.0])


def test_a_study_of_groups_may_hand_over_a_mixture(tmp_path: Path) -> None:
    frame = pl.DataFrame(np.concatenate([RNG.normal(size=(80, 2)), 9.0 + RNG.normal(size=(80, 2))]), schema=["a", "b"])
    result = study(frame, families=["mixture"], trials=3, threads=1)
    assert result.winner.title == "GaussianMixture"
    assert result.winner.trials[0].candidate.parameters["n_components"] == 2
    result.save(tmp_path / "out")
    again = certus.load(tmp_path / "out" / "model.certus")
    np.testing.assert_array_equal(again.predict(frame), result.predict(frame))
    np.testing.assert_allclose(again.distances(frame), result.best.distances(frame))
    assert "The clusters" in result.report


def test_the_density_of_a_study_has_its_own_certificate() -> None:
    """Two long groups side by side, which distances to centers cut across."""
    rows = 500
    group, length = RNG.integers(0, 2, rows), 20.0 * RNG.normal(size=rows)
    frame = pl.DataFrame({"a": length + group, "b": length - 30.0 * group + RNG.normal(size=rows)})
    result = study(frame, trials=4, threads=1)
    found = result.findings.density
    assert found is not None
    assert found.components > 1
    assert found.test_log_density > found.single_log_density
    assert found.bound is not None
    assert LOWEST_SHARE < found.bound.value < 0.2
    assert found.bound in list(result.certificates)
    assert found.bound.check()
    assert found.told in result.advice
    assert result.to_dict()["findings"]["density"]["components"] == found.components


def test_one_gaussian_is_said_to_be_one() -> None:
    frame = pl.DataFrame(RNG.normal(size=(400, 2)), schema=["a", "b"])
    found = find_density(
        frame[:300], frame[300:], ["a", "b"], np.arange(100) % 2, confidence=0.95, seed=0, by_rows=True
    )
    assert found is not None
    assert found.components == 1
    assert "no groups are needed" in found.told
    assert abs(found.agreement) < 0.1


def test_there_is_no_density_without_rows_or_numbers() -> None:
    frame = pl.DataFrame({"a": RNG.normal(size=300), "same": np.ones(300)})
    wanted = {"confidence": 0.95, "seed": 0, "by_rows": True}
    labels = np.zeros(100)
    assert find_density(frame[:20], frame[200:], ["a"], labels, **wanted) is None
    assert find_density(frame[:200], frame[200:], [], labels, **wanted) is None
    assert find_density(frame[:200], frame[200:], ["same"], labels, **wanted) is None
    grouped = find_density(frame[:200], frame[200:], ["a", "same"], labels, **{**wanted, "by_rows": False})
    assert grouped is not None
    assert (grouped.columns, grouped.bound) == (["a"], None)
