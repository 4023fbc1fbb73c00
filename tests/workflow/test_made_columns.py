"""Columns made from others: chosen on training rows, kept where they help out of fold, saved with the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import certus
from certus.workflow import study
from certus.workflow.models import Made, MadeColumns, MadeEncoder
from certus.workflow.race.elimination import clearly_better, clearly_better_on_parts
from certus.workflow.race.trials import Reason


def columns(rows: int = 600, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "a": rng.uniform(1, 5, rows),
            "b": rng.uniform(1, 5, rows),
            "c": rng.normal(size=rows),
            "g": rng.choice(["u", "v", "w"], rows),
            "h": rng.choice(["p", "q", "r", "s"], rows),
            "shop": rng.choice([f"shop {k}" for k in range(20)], rows),
        }
    )


def made(frame: pl.DataFrame, y: np.ndarray) -> list[str]:
    return [one.name for one in MadeColumns(["a", "b", "c"], ["g", "h", "shop"]).fit(frame, y).made]


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (lambda f: f["a"] / f["b"], "a / b"),
        (lambda f: f["b"] / f["a"], "b / a"),
        (lambda f: f["a"] * f["c"], "a × c"),
        (lambda f: (f["a"] - f["b"]).abs(), "a - b"),
        (lambda f: ((f["g"] == "u") ^ (f["h"] == "p")).cast(pl.Float64), "g & h"),
    ],
)
def test_what_decides_the_target_is_made(rule: object, name: str) -> None:
    frame = columns()
    y = rule(frame).to_numpy()  # type: ignore[operator]
    noise = 0.1 * y.std() * np.random.default_rng(1).normal(size=len(y))
    assert made(frame, y + noise)[0] == name
    turned = " / ".join(reversed(name.split(" / ")))
    assert {name, turned} & set(made(frame, np.where(y >= np.quantile(y, 0.8), "high", "low")))


def test_a_number_beside_the_mean_of_its_group_is_made() -> None:
    frame = columns(1500)
    price = frame.select(pl.col("a") + 4.0 * pl.col("shop").str.slice(5).cast(pl.Float64)).to_series()
    frame = frame.with_columns(a=price)
    y = (price - price.mean().__class__(0)).to_numpy() - frame.select(
        pl.col("a").mean().over("shop")
    ).to_series().to_numpy()
    assert made(frame, y)[0] == "a - its mean by shop"


def test_nothing_is_made_of_noise() -> None:
    """At 1 % over all that is tried: of 60 tables of noise, more than 4 have a chance of 0.3 %."""
    found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        frame = columns(200 + 10 * seed, seed)
        y = [rng.integers(0, 2, frame.height), rng.normal(size=frame.height), rng.integers(0, 5, frame.height)][
            seed % 3
        ]
        found += bool(made(frame, y))
    assert found <= 4


def test_only_the_rows_given_to_fit_are_learned_from() -> None:
    frame = columns(900)
    y = (frame["a"] / frame["b"]).to_numpy()
    first = MadeColumns(["a", "b", "c"], ["g", "h", "shop"]).fit(frame[:600], y[:600])
    spoiled = pl.concat([frame[:600], frame[600:].with_columns(a=pl.col("a") * -100.0)])
    second = MadeColumns(["a", "b", "c"], ["g", "h", "shop"]).fit(spoiled[:600], y[:600])
    assert first.rules == second.rules
    assert all(np.array_equal(one, other) for one, other in zip(first.means, second.means, strict=True))
    beside = MadeColumns(["a"], ["g"])
    beside.rules, (levels, means) = [["mean of", "a", "g"]], _means(frame[:600])
    beside.levels, beside.means = [levels], [means]
    beside._restored()
    new = beside.extend(pl.DataFrame({"a": [1.0, None], "g": ["u", "unknown"]}))["mean of a by g"]
    assert new.to_list() == [means[levels.index("u")], means[-1]]


def _means(frame: pl.DataFrame) -> tuple[list[str], np.ndarray]:
    known = frame.group_by("g").agg(pl.col("a").mean()).sort("g")
    return known["g"].to_list(), np.append(known["a"].to_numpy(), frame["a"].mean())


def test_odd_cells_are_missing_in_what_is_made() -> None:
    rules = MadeColumns(["a", "b"], ["g", "h"])
    rules.rules = [["/", "a", "b"], ["&", "g", "h"]]
    rules.levels, rules.means = [[], []], [np.empty(0), np.empty(0)]
    rules._restored()
    frame = pl.DataFrame(
        {"a": [1.0, 1e308, None], "b": [0.0, 1e-308, 2.0], "g": ["u", None, "v"], "h": ["p", "q", "r"]}
    )
    found = rules.extend(frame)
    assert np.isnan(found["a / b"].to_numpy()).all()
    assert found["g & h"].to_list() == ["u & p", None, "v & r"]
    assert rules.made == [Made("/", "a", "b"), Made("&", "g", "h")]
    taken = MadeColumns(["a", "b", "a / b"], [])
    taken.rules, taken.levels, taken.means = [["/", "a", "b"]], [[]], [np.empty(0)]
    assert taken.made_numbers == ["a / b'"]


@pytest.mark.parametrize("style", ["scaled", "native"])
def test_an_encoder_puts_made_categories_among_the_first_columns(style: str) -> None:
    frame = columns()
    y = ((frame["g"] == "u") ^ (frame["h"] == "p")).to_numpy().astype(int)
    encoder = MadeEncoder(["a", "b", "c"], ["g", "h"], [], [], style)  # type: ignore[arg-type]
    X = encoder.fit_transform(frame, y)
    assert (encoder.category_count, encoder.made_.made_categories) == (3, ["g & h"])
    np.testing.assert_array_equal(X, encoder.transform(frame))
    names = encoder.get_feature_names_out().tolist()
    assert X.shape[1] == len(names)
    assert "g & h" in names[2] if style == "native" else any(name.startswith("g & h = u & p") for name in names)
    assert set(encoder.column_kinds) == {"a", "b", "c", "g", "h"}
    assert set(encoder.usual_numbers) == {"a", "b", "c"}


@pytest.mark.parametrize("damage", ["rules", "levels", "means", "operation", "inner"])
def test_damaged_rules_are_refused(damage: str) -> None:
    frame = columns()
    encoder = MadeEncoder(["a", "b", "c"], ["g", "h"]).fit(frame, (frame["a"] / frame["b"]).to_numpy())
    encoder._restored()
    encoder.made_._restored()
    if damage == "rules":
        encoder.made_.rules = [["/", "a", "nowhere"]] * len(encoder.made_.rules)
    elif damage == "operation":
        encoder.made_.rules[0][0] = "exec"
    elif damage == "levels":
        encoder.made_.levels = []
    elif damage == "means":
        encoder.made_.means[0] = np.array([1.0])
    else:
        encoder.made_ = MadeColumns(["a"], [])
    checked = encoder if damage == "inner" else encoder.made_
    with pytest.raises(ValueError, match=r"rule|as many|shape|must have"):
        checked._restored()


def test_a_gain_must_exceed_its_error() -> None:
    rng = np.random.default_rng(0)
    assert clearly_better(rng.normal(-0.2, 1.0, 1000))
    assert not clearly_better(rng.normal(0.2, 1.0, 1000))
    assert not clearly_better(np.zeros(10))
    assert sum(clearly_better(rng.normal(size=200)) for _ in range(400)) < 24  # 2.3 % of chance gains
    assert clearly_better_on_parts([-0.1, -0.11, -0.09, -0.1, -0.1], 5)
    assert not clearly_better_on_parts([-0.1, 0.1, -0.2, 0.1, 0.05], 5)
    assert not clearly_better_on_parts([0.0] * 5, 5)
    assert not clearly_better_on_parts([-0.1, -0.1], 5)


def test_a_study_keeps_what_helps_and_predicts_new_tables(tmp_path: Path) -> None:
    frame = columns()
    y = (frame["a"] / frame["b"]).to_numpy() + 0.05 * np.random.default_rng(1).normal(size=frame.height)
    frame = frame.with_columns(y=pl.Series(y))
    result = study(frame, target="y", families=["trees"], trials=5, threads=1)
    assert "a / b" in result.best.made_columns
    assert result.winner.trials[0].candidate.made
    twin = next(
        trial
        for trial in result.trials
        if not trial.candidate.made and trial.candidate.title == "DecisionTreeRegressor"
    )
    assert result.winner.value < 0.8 * twin.value
    assert any("a / b" in note for note in result.notes)
    assert "with made columns" in result.report
    folder = result.save(tmp_path / "out")
    again = certus.load(folder / "model.certus")
    np.testing.assert_array_equal(again.predict(frame), result.predict(frame))
    new = pl.DataFrame(
        {
            "a": [2.0, None, 1.0],
            "b": [1.0, 2.0, 0.0],
            "c": [0.0] * 3,
            "g": ["u", "new", None],
            "h": ["p"] * 3,
            "shop": ["shop 1"] * 3,
        }
    )
    assert np.isfinite(again.predict(new)).all()
    assert abs(again.predict(new)[0] - 2.0) < 0.4
    assert result.certificates.check()


def test_a_study_of_noise_keeps_nothing() -> None:
    for seed in range(3):
        frame = columns(200, seed)
        y = np.random.default_rng(100 + seed).choice(["n", "y"], 200)
        result = study(frame.with_columns(y=pl.Series(y)), target="y", families=["trees"], trials=6, threads=1)
        assert result.best.made_columns == []


def test_who_does_not_gain_leaves_the_race(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = columns(300)
    y = (frame["a"] / frame["b"]).to_numpy() + 0.05 * np.random.default_rng(1).normal(size=300)
    monkeypatch.setattr("certus.workflow.race.elimination.GAIN", 1e9)
    result = study(frame.with_columns(y=pl.Series(y)), target="y", families=["trees"], trials=4, threads=1)
    twins = [trial for trial in result.trials if trial.candidate.made]
    assert twins
    assert all(trial.left is not None and trial.left.reason is Reason.NO_GAIN for trial in twins)
    assert result.best.made_columns == []
