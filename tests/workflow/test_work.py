"""How long evaluations take, and which of them a budget affords."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from certus import study
from certus.workflow.columns import Columns
from certus.workflow.race.candidates import Recipe
from certus.workflow.race.learning import Learning, divide, encoded_widths, make_encoder
from certus.workflow.race.work import LARGEST_WORK, Measured, WorkModel, affordable
from certus.workflow.tasks import BinaryTask

SLOW = Recipe("certus.svm.SVC", work=(2.0, 1.0, 3.0))
QUICK = Recipe("certus.bayes.GaussianNB", work=(1.0, 1.0, 0.05))


def test_the_law_of_a_recipe_is_scaled_by_what_was_measured() -> None:
    model = WorkModel({"scaled": 20.0})
    assert model.predict(SLOW, 10_000) == pytest.approx(3.0)
    assert model.predict(SLOW, 20_000) == pytest.approx(12.0)
    model.learn(Measured(QUICK, 10_000, 0.1))  # this machine takes twice as long
    assert model.predict(SLOW, 20_000) == pytest.approx(24.0)
    assert model.guess(SLOW, 20_000) == pytest.approx(12.0)
    assert model.predict(SLOW, 40_000, Measured(SLOW, 10_000, 1.0)) == pytest.approx(16.0)


def test_memory_counts_encoded_columns_and_not_those_of_the_table() -> None:
    """One column of 40 levels and one of texts are 40 numbers and many words; codes of levels are one number."""
    rng = np.random.default_rng(0)
    rows = 3000
    words = np.array([f"word{number}" for number in range(150)])
    frame = pl.DataFrame(
        {
            "x": rng.normal(size=rows),
            "level": [f"level{number}" for number in rng.integers(0, 40, rows)],
            "text": [" ".join(rng.choice(words, 12)) for _ in range(rows)],
        }
    )
    columns = Columns(numbers=["x"], categories=["level"], texts=["text"])
    y = rng.integers(0, 2, rows)
    divisions, rungs = divide(y, np.arange(rows), seed=0)
    learning = Learning(BinaryTask, frame, y, 2, columns, divisions, rungs, seed=0)
    widths = encoded_widths(learning, {"scaled", "native", "words"})
    for style in ("scaled", "native"):
        encoder = make_encoder(columns, style)
        assert widths[style] == encoder.fit_transform(frame, y).shape[1]
    assert widths["scaled"] == widths["native"] + 39
    assert 12 < widths["words"] < 40  # of 190 columns, those that a row has
    model = WorkModel(widths)
    one, other = (Recipe("certus.svm.SVC", style=style, copies=2.0) for style in ("scaled", "native"))
    assert model.memory(one, 100) - model.memory(other, 100) == 8 * 2 * 100 * 39
    assert model.guess(one, 100) > model.guess(other, 100)


def test_jobs_that_fit_in_the_order_of_their_importance() -> None:
    assert affordable([5.0, 20.0, 4.0, 4.0], workers=1, remaining=10.0) == [True, False, True, False]
    assert affordable([5.0, 20.0, 4.0, 4.0], workers=2, remaining=10.0) == [True, False, True, True]
    assert affordable([1.0], workers=1, remaining=-1.0) == [False]
    assert affordable([], workers=1, remaining=1.0) == []


def test_a_learner_whose_work_explodes_leaves_the_race(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 2))
    table = pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": np.where(x[:, 0] > 0, "p", "n")})
    monkeypatch.setattr("certus.workflow.race.work.LARGEST_WORK", 1.5e-4)
    result = study(table, target="y", families=["svm", "bayes"], trials=4)
    dropped = {row["learner"].split("(")[0]: row["dropped"] for row in result.leaderboard}
    assert dropped["SVC"] == "too much work on 256 rows"
    assert dropped["GaussianNB"] is None
    assert LARGEST_WORK > 1.0


def test_a_winner_that_takes_too_long_is_trained_on_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 2))
    table = pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": np.where(x[:, 0] > 0, "p", "n")})
    monkeypatch.setattr("certus.workflow.steps.training.time_to_train", lambda _state: 1e-9)
    result = study(table, target="y", families=["bayes"], time=20)
    chosen_with = 384  # four of five folds of the 480 learning rows
    assert f"trained on {chosen_with} of 480 rows: there was no time for more (time)" in result.notes
    assert result.certificate.check()
