"""Labels with an order: how it is found, and what it changes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from certus import study
from certus.workflow.options import Options
from certus.workflow.steps.task import infer_task
from certus.workflow.study_error import StudyError
from certus.workflow.tasks.ordinal import known_order


def reviews(rows: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.normal(size=rows)
    places = np.clip(np.round(1.5 + x + rng.normal(scale=0.7, size=rows)), 0, 3).astype(int)
    return pl.DataFrame(
        {"x": x, "noise": rng.normal(size=rows), "said": np.array(["poor", "fair", "good", "excellent"])[places]}
    )


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["low", "high", "Medium"], ["low", "Medium", "high"]),
        (["2 stars", "10 stars", "1 star"], ["1 star", "2 stars", "10 stars"]),
        (["strongly_agree", "neutral", "disagree"], ["disagree", "neutral", "strongly_agree"]),
        (["cat", "dog", "low"], None),
        (["no", "yes"], None),
        (["1a", "1b", "2a"], None),
    ],
)
def test_words_and_numbers_tell_the_order(labels: list[str], order: list[str] | None) -> None:
    assert known_order(pl.Series(labels)) == order


def test_an_enumeration_tells_the_order() -> None:
    assert known_order(pl.Series(["b", "a"], dtype=pl.Enum(["b", "a", "c"]))) == ["b", "a"]


def test_the_task_is_guessed_and_overridden() -> None:
    task = infer_task(reviews(), Options(target="said"))
    assert task.kind == "ordinal"
    assert "poor < fair < good < excellent" in task.guess
    assert infer_task(reviews(), Options(target="said", task="classification")).kind == "multiclass"
    numbers = pl.DataFrame({"grade": [1, 2, 3, 2]})
    assert infer_task(numbers, Options(target="grade")).kind == "multiclass"
    assert infer_task(numbers, Options(target="grade", task="ordinal")).kind == "ordinal"
    named = infer_task(pl.DataFrame({"t": ["cat", "dog", "ant"]}), Options(target="t", levels=["dog", "ant", "cat"]))
    assert list(named.labels) == ["dog", "ant", "cat"]
    with pytest.raises(StudyError, match="levels must name every label once"):
        infer_task(numbers, Options(target="grade", levels=[1, 2]))
    with pytest.raises(StudyError, match="positive is for two classes"):
        infer_task(reviews(), Options(target="said", positive="good"))


def test_the_distance_in_levels_is_certified() -> None:
    result = study(reviews(), target="said", measure="mae", families=["linear", "bayes"], trials=3)
    places = {label: place for place, label in enumerate(["poor", "fair", "good", "excellent"])}
    truth, said = (
        np.array([places[label] for label in one]) for one in (result.evaluation.truth, result.evaluation.predictions)
    )
    assert result.evaluation.value == np.mean(np.abs(truth - said))
    assert result.certificate.quantity == "mean distance in levels"
    assert result.evaluation.value <= result.certificate.value <= 3.0
    assert result.certificate.check()
    by_error = study(reviews(), target="said", families=["linear", "bayes"], trials=3)
    assert by_error.task.measure.name == "error"
    assert by_error.to_dict()["task"] == "ordinal"
