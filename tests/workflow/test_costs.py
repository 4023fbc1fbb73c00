"""Losses that the user declares: costs of mistakes, and expressions with a range."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from certus import load, study
from certus.workflow.declared_costs import cost_measure, parse_costs
from certus.workflow.study_error import StudyError


def patients(rows: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, rows))
    return pl.DataFrame({"x": x, "y": noise, "state": np.where(x + rng.normal(size=rows) > 0.5, "sick", "well")})


def test_costs_are_read_as_they_are_said() -> None:
    assert parse_costs(["sick as well=10", "well as sick = 2.5"]) == {("sick", "well"): 10.0, ("well", "sick"): 2.5}
    for wrong in ("sick=10", "sick as well", "sick as well=much"):
        with pytest.raises(StudyError, match=r"costs must look like 'sick as healthy=10'"):
            parse_costs([wrong])


def test_the_answer_of_least_mean_cost_is_chosen() -> None:
    measure = cost_measure({("sick", "well"): 9.0}, np.array(["sick", "well"]))
    # With p = P(sick): answering "well" costs 9 p, answering "sick" 1 - p; they are equal at p = 1/10.
    assert list(measure.decide(np.array([[0.11, 0.89], [0.09, 0.91]]))) == [0, 1]
    assert measure.value(np.array([0, 0, 1, 1]), np.array([1, 0, 0, 1]), None) == (9.0 + 1.0) / 4


def test_a_study_by_costs_certifies_the_mean_cost(tmp_path) -> None:
    costs = {("sick", "well"): 10.0}
    result = study(patients(), target="state", costs=costs, families=["linear", "bayes"], trials=3)
    assert result.task.measure.name == "cost"
    assert result.certificate.quantity == "mean cost"
    assert result.evaluation.value <= result.certificate.value <= 10.0
    assert result.certificate.check()
    plain = study(patients(), target="state", families=["linear", "bayes"], trials=3)
    # Missing the sick is expensive, so more rows are called sick.
    assert np.mean(result.evaluation.predictions == "sick") > np.mean(plain.evaluation.predictions == "sick")
    truth, said = result.evaluation.truth, result.evaluation.predictions
    assert result.evaluation.value == np.mean(np.where(truth == said, 0.0, np.where(truth == "sick", 10.0, 1.0)))
    result.save(tmp_path / "kept")
    again = load(tmp_path / "kept" / "model.certus")
    assert list(again.predict(patients().drop("state"))) == list(result.best.predict(patients().drop("state")))


def test_costs_that_cannot_be() -> None:
    with pytest.raises(StudyError, match=r"costs: 'dead' is not among the labels.\nHint: they are sick, well"):
        study(patients(), target="state", costs={("dead", "well"): 1.0})
    with pytest.raises(StudyError, match=r"sick as well must cost a finite number of at least 0, got -1.0"):
        study(patients(), target="state", costs={("sick", "well"): -1.0})
    with pytest.raises(StudyError, match="costs and measure='auc' exclude each other"):
        study(patients(), target="state", costs={("sick", "well"): 1.0}, measure="auc")
    with pytest.raises(StudyError, match="measure='cost' needs costs"):
        study(patients(), target="state", measure="cost")
    with pytest.raises(StudyError, match="costs can be given for labels only"):
        study(patients(), target="x", costs={("sick", "well"): 1.0})


def test_a_declared_loss_is_certified() -> None:
    loss = "least(abs(truth - prediction), 2)"
    result = study(patients(), target="x", measure=loss, loss_range=(0, 2), families=["linear"], trials=2)
    off = np.minimum(np.abs(result.evaluation.truth - result.evaluation.predictions), 2.0)
    assert result.evaluation.value == pytest.approx(off.mean())
    assert result.certificate.quantity == f"mean of {loss}"
    assert result.evaluation.value <= result.certificate.value <= 2.0
    assert result.certificate.check()


def test_a_declared_loss_of_labels() -> None:
    loss = "case when truth = prediction then 0 when truth = 'sick' then 5 else 1 end"
    result = study(patients(), target="state", measure=loss, loss_range=(0, 5), families=["bayes"], trials=1)
    truth, said = result.evaluation.truth, result.evaluation.predictions
    assert result.evaluation.value == np.mean(np.where(truth == said, 0.0, np.where(truth == "sick", 5.0, 1.0)))


def test_declared_losses_that_cannot_be() -> None:
    with pytest.raises(StudyError, match="needs its loss_range"):
        study(patients(), target="x", measure="abs(truth - prediction)")
    with pytest.raises(StudyError, match=r"cannot be computed|cannot be parsed"):
        study(patients(), target="x", measure="magic(truth, prediction)", loss_range=(0, 1))
    with pytest.raises(StudyError, match=r"outside \[0, 0.001\].\nHint: clip it"):
        study(patients(), target="x", measure="abs(truth - prediction)", loss_range=(0, 0.001), families=["linear"])
