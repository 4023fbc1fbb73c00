"""One verdict of three: exact on noise, and right where there is something to be found."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

from certus.workflow import Study, study
from certus.workflow.verdict import Comparison, against_labels, against_numbers, decide

LEVEL = 0.05


def share_of_better(found: list[bool]) -> None:
    """At most 5 % of true nulls may be called better; one table in a thousand of such tests fails by chance."""
    assert sum(found) <= binom.isf(1e-3, len(found), LEVEL)


def test_guessing_labels_is_not_better_than_guessing() -> None:
    rng, found = np.random.default_rng(0), []
    for _ in range(600):
        shares = rng.dirichlet(np.ones(3))
        truth, guesses = rng.choice(3, 80, p=shares), rng.choice(3, 80, p=shares)
        found.append(against_labels(truth, guesses, None, LEVEL).shown)
    share_of_better(found)


@pytest.mark.parametrize("draw", ["exponential", "standard_cauchy", "normal"])
def test_guessing_numbers_is_not_better_than_guessing(draw: str) -> None:
    """Also where guesses lie near the true median, which beats the mean of a skewed target on most rows."""
    rng, found = np.random.default_rng(1), []
    middle = {"exponential": np.log(2.0), "standard_cauchy": 0.0, "normal": 0.0}[draw]
    for _ in range(600):
        truth = getattr(rng, draw)(size=60)
        guesses = middle + rng.choice([0.0, 0.01, 0.5]) * rng.normal(size=60)
        found.append(against_numbers(truth, guesses, None, LEVEL).shown)
    share_of_better(found)


@pytest.mark.parametrize("labels", [True, False])
def test_guessing_in_groups_is_not_better_than_guessing(labels: bool) -> None:
    rng, found = np.random.default_rng(2), []
    groups = np.repeat(np.arange(20), 4)
    for _ in range(300):
        if labels:
            truth = rng.choice(2, 20, p=[0.3, 0.7])[groups]  # the rows of a group have one label
            found.append(against_labels(truth, rng.choice(2, 20)[groups], groups, LEVEL).shown)
        else:
            truth = rng.exponential(size=20)[groups]
            found.append(against_numbers(truth, 0.7 + 0.01 * rng.normal(size=80), groups, LEVEL).shown)
    share_of_better(found)


def test_the_hardest_number_is_found_by_enumeration() -> None:
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(6), 3)
    for _ in range(30):
        truth = rng.normal(size=18)
        guesses = truth + 0.7 * rng.normal(size=18)
        for of_rows, units in ((None, np.arange(18)), (groups, groups)):
            found = against_numbers(truth, guesses, of_rows, LEVEL)
            own = np.bincount(units, np.abs(truth - guesses)) / np.bincount(units)
            grid = np.linspace(-4, 4, 4001)
            others = [np.bincount(units, np.abs(truth - c)) / np.bincount(units) for c in grid]
            losses = max(int(np.sum(other < own)) for other in others)
            assert found.losses is not None
            assert found.losses >= losses  # the grid may miss a narrow place
            at = np.bincount(units, np.abs(truth - found.constant)) / np.bincount(units)
            assert int(np.sum(at < own)) == found.losses


def test_the_hardest_label_is_found_by_enumeration() -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        truth = rng.choice(3, 30)
        guesses = np.where(rng.random(30) < 0.5, truth, rng.choice(3, 30))
        found = against_labels(truth, guesses, None, LEVEL)
        right = truth == guesses
        tails = [binom.sf((right & (truth != c)).sum() - 1, (right != (truth == c)).sum(), 0.5) for c in range(3)]
        assert found.p_value == pytest.approx(max(tails))


def test_too_few_rows_are_those_on_which_a_perfect_record_says_nothing() -> None:
    nothing = Comparison(0, False, "")
    for copies_needed, expected in (
        (1, ("not-better", None)),
        (3, ("too-few-rows", 3)),
        (10**9, ("too-few-rows", None)),
    ):
        perfect = lambda copies, needed=copies_needed: Comparison(0, copies >= needed, "")  # noqa: E731
        assert decide(nothing, True, perfect) == expected
    assert decide(Comparison(0, True, ""), False, lambda _: nothing)[0] == "too-few-rows"
    assert decide(Comparison(0, True, ""), True, lambda _: nothing) == ("better", None)


def quick(frame: pl.DataFrame, target: str = "y", **options: Any) -> Study:
    chosen = {"families": ["bayes", "trees"], "trials": 3, "threads": 1, **options}
    result: Study = study(frame, target=target, **chosen)
    return result


def noise(rows: int, seed: int, positives: float = 0.5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    columns = {name: rng.normal(size=rows) for name in "abc"}
    return pl.DataFrame({**columns, "y": np.where(rng.random(rows) < positives, "yes", "no")})


def signal(rows: int, seed: int = 0) -> pl.DataFrame:
    return noise(rows, seed).with_columns(
        y=pl.when(pl.col("a") + 0.3 * pl.col("b") > 0).then(pl.lit("yes")).otherwise(pl.lit("no"))
    )


def test_noise_is_said_to_be_noise_first_and_everywhere() -> None:
    result = quick(noise(300, 1))
    told = result.to_dict()
    assert result.verdict == told["verdict"] == next(iter(told.values())) == "not-better"
    assert str(result).startswith("Not shown to be better than always answering '")
    assert told["winner"]["certificate"]["trivial"] == told["baseline"]["test_value"]
    assert result.certificate.vacuous
    assert "vacuous: guessing has" in str(result)
    page = result.report
    assert page.index("Not shown to be better than always answering") < page.index("How good")


def test_a_signal_is_found_and_stands_beside_the_baseline() -> None:
    result = quick(signal(300))
    told = result.to_dict()
    assert told["verdict"] == "better"
    truth = result.evaluation.truth
    assert told["baseline"]["test_value"] == min(np.mean(truth != "yes"), np.mean(truth != "no"))
    assert told["winner"]["certificate"]["kind"] == "probable"
    assert "McNemar" in told["comparison_with_constant"]["test"]


def test_rare_positives_sorted_tables_few_rows_groups_and_time() -> None:
    rare = quick(noise(1000, 2, positives=0.02))
    assert rare.verdict == "not-better"
    assert "always answering 'no'" in rare.judgment.headline
    assert quick(signal(300).sort("y")).verdict == "better"
    few = quick(noise(40, 3, positives=0.15))
    assert few.verdict == "too-few-rows"
    assert "would be needed" in few.judgment.headline
    plain = quick(signal(60, 2))  # not one error, but only 4 of the 12 rows are of the rarer class
    assert plain.verdict == "too-few-rows"
    assert "at least 24 would be needed" in str(plain)
    day = pl.Series("day", np.arange(300))
    assert quick(signal(300).with_columns(day), order="day").verdict == "better"
    assert quick(noise(300, 4).with_columns(day), order="day").verdict == "not-better"
    grouped = quick(signal(400).with_columns(g=pl.Series(np.arange(400) // 4)), group="g")
    assert grouped.verdict == "better"
    assert "20 test groups" in grouped.judgment.reason
    assert "on 20 groups" in grouped.certificate.claim
    assert "%" in grouped.certificate.claim.split("(mean")[1]


def test_numbers_are_compared_by_the_sign_test() -> None:
    frame = noise(300, 5).with_columns(y=pl.col("a").exp() + 0.1 * pl.col("b"))
    result = quick(frame, families=["trees"])
    assert result.verdict == "better"
    assert "sign test on absolute errors" in result.judgment.reason
    skewed = noise(300, 6).with_columns(y=pl.Series(np.random.default_rng(1006).lognormal(size=300)))
    assert quick(skewed, families=["svm", "trees"]).verdict == "not-better"


@pytest.mark.parametrize("measure", ["auc", "f1", "macro_f1", "balanced_error", "log_loss"])
def test_every_measure_has_its_exact_comparison(measure: str) -> None:
    assert quick(noise(200, 7), measure=measure).verdict == "not-better"
    assert quick(signal(400), measure=measure).verdict == "better"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["labels", "numbers", "rare", "groups"])
def test_better_is_said_of_at_most_5_percent_of_noise(kind: str) -> None:
    found = []
    for seed in itertools.islice(itertools.count(100), 50):
        rng = np.random.default_rng(seed + 10_000)
        frame = noise(150, seed, positives=0.1 if kind == "rare" else 0.5)
        if kind == "numbers":
            frame = frame.with_columns(y=pl.Series(rng.exponential(size=150)))
        more = {"group": "g"} if kind == "groups" else {}
        frame = frame.with_columns(g=pl.Series(np.arange(150) // 3)) if more else frame
        found.append(quick(frame, **more).verdict == "better")
    share_of_better(found)
