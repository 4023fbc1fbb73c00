"""compare, select and plan as functions."""

import matplotlib
import numpy as np
import pytest

from certus.guarantees import error_bound, mcnemar
from certus.verbs.comparing import compare
from certus.verbs.planning import plan
from certus.verbs.selecting import select

matplotlib.use("Agg")
TRUTH = np.zeros(500, dtype=int)


def wrong_on(*ranges):
    guess = TRUTH.copy()
    for start, stop in ranges:
        guess[start:stop] = 1
    return guess


def test_two_models():
    found = compare(wrong_on((0, 30)), wrong_on((30, 45)), y=TRUTH)
    assert found.verdict == "B is better"
    assert found.pvalue == mcnemar(30, 15).pvalue
    low, high = found.difference.value
    assert low < 0.03 < high
    assert found.report.check()
    assert 0 < found.power < 1
    assert "B is better than A" in str(found)


def test_cannot_tell_says_how_many_rows_would():
    found = compare({"old": wrong_on((0, 25)), "new": wrong_on((20, 40))}, y=TRUTH)
    assert found.verdict == "cannot tell"
    assert found.rows_needed > 500
    assert f"about {found.rows_needed} rows would" in str(found)
    sign = found.report["which of old and new errs less"]
    assert sign.vacuous
    same = compare(TRUTH, TRUTH, y=TRUTH)
    assert (same.verdict, same.pvalue, same.rows_needed) == ("cannot tell", 1.0, None)


def test_several_models_pay_for_all_pairs():
    models = {"a": wrong_on((0, 20)), "b": wrong_on((20, 60)), "c": wrong_on((60, 200))}
    found = compare(models, y=TRUTH)
    assert [(pair.first, pair.second) for pair in found.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all(pair.difference.inputs["uses"] == 3 for pair in found.pairs)
    assert found.adjusted[0] >= found.pairs[0].pvalue
    assert "a is better than c" in found.verdict
    assert found.report.check()
    with pytest.raises(ValueError, match="3 pairs"):
        found.difference
    assert compare(list(models.values()), y=TRUTH, names=["a", "b", "c"]).verdict == found.verdict


def test_regressions_by_bounded_differences():
    rng = np.random.default_rng(0)
    y = rng.random(400)
    good, bad = np.clip(y + rng.normal(0, 0.02, 400), 0, 1), np.clip(y + rng.normal(0, 0.2, 400), 0, 1)
    found = compare(good, bad, y=y, loss="absolute", loss_range=(0, 1), names=["good", "bad"])
    assert found.verdict == "good is better"
    assert found.report.check()
    assert found.pvalue is None
    same = compare(good, np.clip(good + rng.normal(0, 0.001, 400), 0, 1), y=y, loss="absolute", loss_range=(0, 1))
    assert same.verdict == "cannot tell"
    assert same.rows_needed > 400


def test_select():
    models = {"best": wrong_on((0, 15)), "near": wrong_on((0, 5), (20, 32)), "bad": wrong_on((0, 150))}
    found = select(models, y=TRUTH)
    assert found.winner == "best"
    assert found.certificate.value == error_bound(15, 500, uses=3).value
    assert found.shortlist == ("best", "near")
    assert found.losses == pytest.approx({"best": 0.03, "near": 0.034, "bad": 0.3})
    assert found.adjusted["bad"] < 1e-20
    assert found.adjusted["near"] == 1.0
    assert found.report.check()
    assert "near" in str(found)
    more = select(models, y=TRUTH, tried=40)
    assert more.certificate.value == error_bound(15, 500, uses=40).value


def test_select_among_regressions():
    y = np.linspace(0, 1, 50)
    found = select({"flat": np.full(50, 0.5), "true": y}, y=y, loss="squared", loss_range=(0, 1))
    assert found.winner == "true"
    assert found.report.check()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare(TRUTH, y=TRUTH), "at least two models"),
        (lambda: compare(TRUTH, TRUTH), "exactly one of y and y_true must be given"),
        (lambda: compare({"a": TRUTH}, TRUTH, y=TRUTH), "dictionary names all models"),
        (lambda: compare(TRUTH, TRUTH, y=TRUTH, names=["a", "a"]), "different names"),
        (lambda: compare(TRUTH, TRUTH[:5], y=TRUTH), "5 predictions, 500 labels"),
        (lambda: compare(TRUTH + 0.5, TRUTH, y=TRUTH * 0.5), "no finite range"),
        (lambda: select({}, y=TRUTH), "candidates must not be empty"),
        (lambda: select([TRUTH, TRUTH], y=TRUTH, tried=1), "tried must be at least"),
        (lambda: select([TRUTH]), "exactly one of y and y_true must be given"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_plan_table_text_and_plot():
    found = plan(error=0.03, confidence=0.95, pilot=(1, 100))
    assert found.true_error == 0.01
    assert [line["rows"] for line in found.table(2)] == [99, 157, 208]
    assert "303 rows for a 80% chance" in str(found)
    assert found.to_dict()["rows_for"] == {"0.8": 303, "0.9": 436}
    assert found.errors_allowed(98) == -1
    assert found.errors_allowed(99) == 0
    assert found.rows_for(0.8, true_error=0.05) is None
    axes = found.plot(errors=3)
    assert axes.get_xlabel() == "fresh labeled rows"
    matplotlib.pyplot.close("all")
    assert plan(error=0.1).rows[0] == 29


def test_a_plan_that_comes_true_certifies():
    found = plan(error=0.05, confidence=0.9)
    for errors in range(8):
        rows = found.rows[errors]
        assert error_bound(errors, rows, confidence=0.9).value <= 0.05
        assert error_bound(errors, rows - 1, confidence=0.9).value > 0.05
