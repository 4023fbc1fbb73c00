"""What a study says besides its winner."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from certus.workflow import study
from certus.workflow.columns import Columns
from certus.workflow.findings.comparisons import compare_all
from certus.workflow.findings.diagnosis import diagnosis
from certus.workflow.findings.reliability import reliability, remark
from certus.workflow.findings.subgroups import subgroups


def frame(rows: int = 400, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, rows))
    shop = rng.choice(["north", "south"], size=rows)
    bought = np.where((x + 0.3 * noise > 0) ^ ((shop == "south") & (rng.random(rows) < 0.4)), "yes", "no")
    return pl.DataFrame({"x": x, "nothing": noise, "shop": shop, "bought": bought})


def test_all_findings_of_a_study() -> None:
    result = study(frame(), target="bought", families=["linear", "bayes"], trials=4)
    told = result.findings.to_dict()
    assert told["shortlist"][0] == result.winner.name
    assert [rival["rival"] for rival in told["comparisons"]][-1] == "the baseline"
    assert told["comparisons"][-1]["verdict"] == "better"
    assert told["learning_curve"]["rows"] == sorted(told["learning_curve"]["rows"])
    assert next(iter(told["importances"])) == "x"
    assert told["subgroups"][0]["name"] == "shop = south"
    assert all(group["bound"] >= group["error"] for group in told["subgroups"])
    assert told["remarks"]


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


@pytest.mark.parametrize(
    ("losses", "falling", "told"),
    [
        ((0.48, 0.49, 0.5), False, "under-fitting"),
        ((0.0, 0.48, 0.5), True, "over-fitting .*; more rows would help"),
        ((0.0, 0.2, 0.5), False, "fits its own rows much better .*; try fewer columns"),
        ((0.18, 0.2, 0.5), True, "neither .*; more rows"),
        ((0.18, 0.2, 0.5), False, "neither .*; better columns"),
        ((0.0, 0.0, 0.5), None, "no error on the validation rows"),
        ((0.0, 0.0, 0.0), None, "nearly"),
    ],
)
def test_diagnosis_in_words(losses: tuple[float, float, float], falling: bool | None, told: str) -> None:
    import re

    assert re.search(told, diagnosis(*losses, falling))
