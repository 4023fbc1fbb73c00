"""What a study says besides its winner."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from certus.workflow import study
from certus.workflow.columns import Columns
from certus.workflow.findings import Findings
from certus.workflow.findings.comparisons import compare_all
from certus.workflow.findings.learning_curve import curve_of
from certus.workflow.findings.overfitting import overfitting
from certus.workflow.findings.reliability import calibration_error, reliability, remark
from certus.workflow.findings.subgroups import above_the_rest, subgroups
from certus.workflow.measures import MEASURES
from certus.workflow.race.outcome import Outcome


def frame(rows: int = 400, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, rows))
    shop = rng.choice(["north", "south"], size=rows)
    bought = np.where((x + 0.3 * noise > 0) ^ ((shop == "south") & (rng.random(rows) < 0.4)), "yes", "no")
    return pl.DataFrame({"x": x, "nothing": noise, "shop": shop, "bought": bought})


def test_all_findings_of_a_study() -> None:
    result = study(frame(800), target="bought", families=["linear", "bayes"], trials=4)
    told = result.findings.to_dict()
    assert told["shortlist"][0] == result.winner.name
    assert result.verdict == "better"
    assert len(told["comparisons"]) == 1
    assert "the winner alone is right, or nearer, on" in result.findings.versus[0].told
    assert told["learning_curve"]["rows"] == sorted(told["learning_curve"]["rows"])
    assert next(iter(told["importances"])) == "x"
    assert told["subgroups"][0]["name"] == "shop = south"
    assert all(group["bound"] >= group["error"] and group["p_value"] <= 0.05 for group in told["subgroups"])
    assert result.advice == result.to_dict()["advice"]
    assert sum("more rows" in one for one in result.advice) == 1


def test_a_column_that_gives_the_target_away_is_named() -> None:
    leaking = frame().with_columns(code=pl.col("bought").replace({"yes": "17", "no": "3"}))
    result = study(leaking, target="bought", families=["bayes"], trials=1)
    assert any("'code' alone nearly gives the target away" in note for note in result.notes)
    assert not any("'x' alone" in note for note in result.notes)


def test_comparisons_are_exact_and_adjusted() -> None:
    winner = np.zeros(100)
    clear, equal = np.r_[np.ones(30), np.zeros(70)], np.r_[np.ones(2), np.zeros(98)]
    first, second = compare_all(winner, [("clear", clear), ("equal", equal)])
    assert (first.verdict, first.wins, first.losses) == ("better", 30, 0)
    assert first.p_value == pytest.approx(2 * 2 * 0.5**30)
    assert (second.verdict, second.p_value) == ("cannot tell", 0.5)
    (same,) = compare_all(winner, [("same", winner)])
    assert (same.verdict, same.p_value) == ("cannot tell", 1.0)


def test_subgroup_bounds_hold_together() -> None:
    """Ten levels with known errors: some bound fails in at most 5 % of tables."""
    rng, failed, tables = np.random.default_rng(0), 0, 400
    errors = np.linspace(0.02, 0.5, 10)
    columns = Columns(categories=["level"])
    for _ in range(tables):
        levels = rng.integers(0, 10, 600)
        table = pl.DataFrame({"level": levels.astype(str)})
        wrong = rng.random(600) < errors[levels]
        found = subgroups(table, table, wrong, columns, 0.95)
        failed += any(group.bound < errors[int(group.name[-1])] for group in found)
    assert failed / tables <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / tables)


def test_the_calibration_error_is_below_its_bound() -> None:
    """Three kinds of rows that are right less often than they say: the bound fails in at most 5 % of tables."""
    rng, failed, tables = np.random.default_rng(1), 0, 150
    said, true = np.array([0.6, 0.8, 0.95]), np.array([0.5, 0.75, 0.9])
    error = float(np.mean(np.abs(said - true)))  # the three lie in different bins
    for _ in range(tables):
        kind = rng.integers(0, 3, 300)
        shares = np.column_stack([said[kind], 1 - said[kind]])
        failed += calibration_error(shares, rng.random(300) < true[kind], 0.95).bound < error
    assert failed <= 0.05 * tables


def test_reliability_tells_boasting_from_modesty() -> None:
    rng = np.random.default_rng(0)
    honest = rng.uniform(0.5, 1.0, 2000)
    right = rng.random(2000) < honest
    shares = np.column_stack([honest, 1 - honest])
    assert "nothing speaks against" in remark(reliability(shares, right, 0.95))
    boasting = np.column_stack([np.full(2000, 0.99), np.full(2000, 0.01)])
    assert "too sure of itself" in remark(reliability(boasting, right, 0.95))
    modest = np.column_stack([np.full(2000, 0.55), np.full(2000, 0.45)])
    assert "less sure" in remark(reliability(modest, right, 0.95))


def test_one_sentence_says_how_far_probabilities_are_off() -> None:
    """That nothing speaks against them and that they are off would contradict each other."""
    rng = np.random.default_rng(0)
    honest = rng.uniform(0.5, 1.0, 2000)
    right = rng.random(2000) < honest
    for shift, expected in ((0.0, ["which chance explains"]), (0.3, ["sure of itself", "are off by"])):
        shares = np.column_stack([np.clip(honest + shift, 0, 1), 1 - np.clip(honest + shift, 0, 1)])
        bins, off = reliability(shares, right, 0.95), calibration_error(shares, right, 0.95)
        told = Findings(["a"], 0.0, bins=bins, calibration=off).remarks()
        assert len(told) == len(expected)
        assert all(part in one for part, one in zip(expected, told, strict=True))


def test_more_rows_help_only_where_the_last_step_is_significant() -> None:
    """Equal predictions of two sizes are told apart in at most 5 % of tables, and never by a training error."""
    rng, helped = np.random.default_rng(0), 0
    for _ in range(300):
        truth = rng.integers(0, 2, 100)
        outcomes = [Outcome(np.where(rng.random(100) < 0.3, 1 - truth, truth), None, 0.0) for _ in range(2)]
        curve = curve_of([40, 80], outcomes, truth, MEASURES["error"], lambda y, p: (y != p).astype(float))
        helped += bool(curve.falling)
    assert helped <= 15
    good = Outcome(truth, None, 0.0)
    clear = curve_of([40, 80], [outcomes[0], good], truth, MEASURES["error"], lambda y, p: (y != p).astype(float))
    assert clear.falling
    assert "more rows would help" in clear.verdict


def test_noise_is_told_that_no_column_helps_and_never_that_more_rows_would() -> None:
    rng = np.random.default_rng(3)
    table = pl.DataFrame({name: rng.normal(size=300) for name in "abcde"} | {"y": rng.choice(["n", "y"], 300)})
    result = study(table, target="y", families=["neighbors", "ensemble"], trials=3)
    assert result.verdict == "not-better"
    assert result.advice[0].startswith("no column is shown to carry information about the target")
    assert not any("more rows" in one for one in result.advice)
    assert result.findings.subgroups == []


def test_over_fitting_is_said_only_where_two_intervals_do_not_meet() -> None:
    rng = np.random.default_rng(0)
    own, fresh = (rng.random(400) < 0.05).astype(float), (rng.random(400) < 0.4).astype(float)
    assert "over-fitting" in overfitting(own, fresh)
    assert overfitting(np.zeros(400), fresh) == ""  # by heart, by construction
    assert overfitting(own, own) == ""
    assert "over-fitting" in overfitting(0.1 * rng.random(400), rng.random(400))
    same = [overfitting(*(rng.random((2, 100)) < 0.3).astype(float)) for _ in range(200)]
    assert sum(map(bool, same)) <= 10


def test_everybody_is_no_subgroup() -> None:
    frame = pl.DataFrame({"all": ["x"] * 100, "half": ["a", "b"] * 50})
    wrong = np.tile([True, False], 50)
    found = subgroups(frame, frame, wrong, Columns(categories=["all", "half"]), 0.95)
    assert [group.name for group in above_the_rest(found, 0.95)] == ["half = a"]


def test_candidates_that_predict_the_same_are_one_line_and_ten_lines_are_shown() -> None:
    result = study(frame(150), target="bought", families=["trees"], trials=30)
    names = [row["learner"] for row in result.short_board]
    assert len(names) <= 11
    assert all(row["rows"] == 120 for row in result.short_board)
    copies = [row for row in result.leaderboard if row["same_predictions_as"]]
    assert copies
    assert not {row["learner"] for row in copies} & set(names)


def test_a_blend_must_gain_more_than_its_standard_error() -> None:
    never = study(frame(), target="bought", families=["linear", "bayes", "trees"], trials=6, blend=False)
    assert len(never.winner.trials) == 1
    always = study(frame(), target="bought", families=["linear", "bayes", "trees"], trials=6, blend=True)
    assert len(always.winner.trials) > 1


def test_sorted_tables_are_not_called_drifting() -> None:
    notes = study(frame().sort("bought"), target="bought", families=["bayes"], trials=1).notes
    assert any("sorted by the target" in note for note in notes)
    assert not any("drifts" in note for note in notes)
