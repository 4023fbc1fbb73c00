"""Bounds for whole classes: numbers, checks by a second route, extremes and misuse."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certus.guarantees import (
    Certificate,
    CertificateError,
    Report,
    campi_garatti,
    error_bound,
    excess_bound,
    finite_class_bound,
    kernel_margin_bound,
    pac_bayes_kl,
    pac_bayes_margin,
    rademacher,
    rademacher_bound,
    ridge_stability,
    sample_size,
    sgd_stability,
    stability_bound,
    svm_stability,
    uniform_convergence,
    vc_bound,
    vc_rows,
    voting_margin_bound,
)
from certus.guarantees.classes.hypothesis_classes import half_spaces, stumps, threshold_networks, trees
from tests.guarantees import twins


def test_finite_classes_match_their_sample_sizes():
    for size, error, confidence in ((1000, 0.05, 0.99), (10**6, 0.1, 0.95), (1000, 0.1, 0.95)):
        rows = sample_size(size, error, confidence)
        assert finite_class_bound(0, rows, size, confidence).value <= error
        gap_rows = sample_size(size, error, confidence, "uniform")
        assert uniform_convergence(size, gap_rows, confidence).value <= error * (1 + 1e-12)
        assert uniform_convergence(size, gap_rows - 1, confidence).value > error
        best_rows = sample_size(size, error, confidence, "agnostic")
        assert excess_bound(size, best_rows, confidence).value <= error * (1 + 1e-12)
    assert (sample_size(1000, 0.1, 0.95), sample_size(1000, 0.1, 0.95, "agnostic")) == (100, 2120)


def test_classes_too_large_for_a_float():
    bound = finite_class_bound(2, 10_000, 2**5000)
    assert bound.check()
    assert 0.25 < bound.value < 0.4
    assert finite_class_bound(0, 100, 1).value == pytest.approx(error_bound(0, 100).value, rel=1e-11)


@settings(max_examples=50, deadline=None)
@given(
    st.floats(0, 1),
    st.sampled_from([1, 50, 10**4, 10**8]),
    st.sampled_from([0, 1, 7, 1000]),
    st.sampled_from([0.5, 0.95, 0.999999999999]),
)
def test_every_vc_bound_can_be_checked(risk, rows, vc, confidence):
    bound = vc_bound(risk, rows, vc, confidence)
    assert bound.check()
    assert risk <= bound.value <= 1
    a = (vc * math.log(2 * math.e * rows / vc) if vc else 0.0) + math.log(4 / (1 - confidence))
    if 0 < vc <= 2 * rows:
        assert bound.value <= risk + 2 * math.sqrt(risk * a / rows) + 4 * a / rows + 1e-9


def test_vc_bound_of_a_class_of_the_catalogue():
    for built in (stumps(10), half_spaces(3), trees(4, 3), threshold_networks((3, 2, 1))):
        bound = vc_bound(0.05, 3000, built)
        assert bound.check()
        assert Certificate.from_json(bound.to_json()).check()
        assert bound.value <= vc_bound(0.05, 3000, int(built.vc)).value * (1 + 1e-12)
    errs = [1] * 3 + [0] * 57
    assert vc_bound(0.05, 60, 1).check(errs)
    with pytest.raises(CertificateError, match="do not have the mean"):
        vc_bound(0.06, 60, 1).check(errs)


def test_rows_that_a_vacuous_vc_bound_needs_are_named():
    bound = vc_bound(0.1, 100, 20)
    assert bound.vacuous
    report = Report([bound])
    text = str(report)
    assert "vacuous" in text
    rows = vc_rows(3, 0.1)
    assert vc_bound(0.0, rows, 3).value <= 0.1 < vc_bound(0.0, rows - 1, 3).value


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 7), st.integers(0, 2**32 - 1), st.booleans())
def test_rademacher_agrees_with_the_definition(hypotheses, points, seed, signs):
    rng = np.random.default_rng(seed)
    table = rng.choice([-1.0, 1.0], (hypotheses, points)) if signs else rng.normal(size=(hypotheses, points))
    bound = rademacher(table)
    assert bound.kind == "exact"
    assert bound.value == pytest.approx(twins.rademacher(table.tolist()), rel=1e-9, abs=1e-12)
    assert bound.check()
    assert bound.check(table)
    drawn = rademacher(table, draws=50, seed=3)
    assert drawn.kind == "probable"
    assert drawn.check()
    assert drawn.value <= drawn.trivial


def test_rademacher_of_extreme_classes():
    assert rademacher(np.ones((1, 10))).value == 0.0
    everything = [[1 if code >> i & 1 else -1 for i in range(8)] for code in range(256)]
    assert rademacher(everything).value == 1.0
    assert rademacher(everything).vacuous
    steps = np.array([[1.0 if j >= i else -1.0 for j in range(14)] for i in range(15)])
    massart = math.sqrt(2 * math.log(15) / 14)
    assert rademacher(steps).value <= massart
    assert rademacher(steps, draws=20_000).value == pytest.approx(rademacher(steps).value, rel=0.05)


def test_rademacher_of_a_table_too_large_to_carry():
    table = np.random.default_rng(0).choice([-1.0, 1.0], (1200, 100))
    bound = rademacher(table, draws=20)
    with pytest.raises(CertificateError, match="Hint: check"):
        bound.check()
    assert bound.check(table)
    with pytest.raises(CertificateError, match="another digest"):
        bound.check(-table)


def test_additive_bounds_are_their_formulas():
    rows, level = 1000, math.log(2 / 0.05)
    assert rademacher_bound(0.1, 0.05, rows).value == pytest.approx(0.2 + 3 * math.sqrt(level / 2000), rel=1e-9)
    margins = np.r_[np.full(100, 0.1), np.full(900, 2.0)]
    bound = kernel_margin_bound(margins, 1.0, 2.0, np.full(rows, 0.25))
    assert bound.value == pytest.approx(0.1 + 4 * math.sqrt(250) / 1000 + 3 * math.sqrt(level / 2000), rel=1e-9)
    assert bound.check(margins)
    voting = voting_margin_bound(margins / 2, 0.5, 2, 0.5)
    assert voting.check(margins / 2)
    with pytest.raises(CertificateError, match="do not have the mean"):
        voting.check(np.ones(rows))
    assert stability_bound(0.1, 1e-4, rows).value == pytest.approx(
        twins.stability_bound(0.1, 1e-4, rows, 0.05), rel=1e-9
    )
    left = stability_bound(0.1, 1e-4, rows, leave_one_out=True)
    assert left.value == pytest.approx(twins.stability_bound(0.1, 1e-4, rows, 0.05) - 1e-4, rel=1e-9)
    assert left.check([0.1] * rows)
    assert stability_bound(3.0, 1.0, rows, largest_loss=4.0).vacuous
    assert svm_stability(2.0, 0.1, 500) == pytest.approx(4 / (2 * 0.1 * 500))
    assert ridge_stability(2.0, 3.0, 4.0, 500) == pytest.approx((12.0 * 2.0) ** 2 / (2 * 4 * 500))
    assert sgd_stability(2.0, [0.1, 0.2], 500) == pytest.approx(2 * 4 * 0.3 / 500)


@pytest.mark.parametrize("strength", [0.5, 0.05, 0.005])
def test_stability_of_ridge_is_what_replacing_a_row_does(strength):
    """Targets and features in [-1, 1], penalty strength |w|^2: the largest change of any loss stays below beta."""
    rng, rows = np.random.default_rng(0), 10
    x, y = 0.1 * rng.uniform(-1, 1, (rows, 1)), rng.choice([-1.0, 1.0], rows)
    x[0], y[0] = 1.0, -1.0
    grid = np.array([[a, b] for a in np.linspace(-1, 1, 5) for b in np.linspace(-1, 1, 5)])

    def losses(a, b):
        w = float(a[:, 0] @ b / len(b)) / (float(a[:, 0] @ a[:, 0]) / len(b) + strength)
        return (w * grid[:, 0] - grid[:, 1]) ** 2

    whole, beta = losses(x, y), ridge_stability(1.0, 1.0, strength, rows)
    for i in range(rows):
        assert np.abs(losses(np.delete(x, i, 0), np.delete(y, i)) - whole).max() <= beta


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40), st.sampled_from([0.5, 0.95]))
def test_every_margin_bound_can_be_checked(margins, confidence):
    bound = pac_bayes_margin(margins, confidence)
    assert bound.check()
    assert bound.check(margins)
    assert kernel_margin_bound(margins, 0.3, 1.0, np.ones(len(margins)), confidence).check(margins)
    assert voting_margin_bound(margins, 0.3, 2, confidence).check(margins)


def test_margin_bounds_tell_something_with_many_rows():
    rng = np.random.default_rng(0)
    wide = pac_bayes_margin(np.full(1500, 0.6))
    assert wide.value < 0.05
    assert pac_bayes_margin(rng.uniform(-1, 1, 300)).vacuous


def test_tampering_is_found():
    for bound in (
        vc_bound(0.05, 3000, 3),
        finite_class_bound(3, 500, 1000),
        uniform_convergence(100, 1000),
        rademacher([[1, -1, 1], [1, 1, -1]]),
        rademacher_bound(0.1, 0.02, 5000),
        stability_bound(0.05, 1e-5, 5000),
        pac_bayes_margin([0.5] * 2000),
    ):
        assert bound.check()
        with pytest.raises(CertificateError, match="second route"):
            dataclasses.replace(bound, value=bound.value * (1 - 1e-5)).check()
        with pytest.raises(CertificateError, match="second route"):
            dataclasses.replace(bound, value=bound.value * (1 + 1e-5)).check()
        with pytest.raises(CertificateError, match="theorem"):
            dataclasses.replace(bound, theorem="my own").check()


@pytest.mark.parametrize(
    ("bound", "changes"),
    [
        (vc_bound(0.05, 3000, 3), {"inputs": {"uses": 1, "capacity": {"vc": 10**9}}, "witness": {"rows": 10**12}}),
        (
            vc_bound(0.05, 3000, trees(4, 3)),
            {"inputs": {"capacity": {"class": "trees", "parameters": {"leaves": 10**9, "features": 3}}}},
        ),
        (vc_bound(0.05, 3000, stumps(4)), {"inputs": {"capacity": {"class": "os", "parameters": {}}}}),
        (rademacher([[1, -1], [1, 1]], draws=5), {"inputs": {"draws": 10**12}}),
        (rademacher([[1, -1], [1, 1]]), {"witness": {"shape": [1, 60]}}),
        (campi_garatti(50, 1000), {"witness": {"rows": 10**15}}),
        (finite_class_bound(3, 500, 1000), {"witness": {"rows": 10**15, "errors": 10**14}}),
        (pac_bayes_kl(0.1, 1.0, 50), {"witness": {"rows": 10**30}}),
        (pac_bayes_kl(0.1, 1.0, 50), {"witness": {"risk": "high"}}),
    ],
)
def test_hostile_records_are_refused_quickly(bound, changes):
    forged = {name: {**dict(getattr(bound, name)), **values} for name, values in changes.items()}
    with pytest.raises(CertificateError, match=r"cannot be used|too many|is not|second route|not 60"):
        dataclasses.replace(bound, **forged).check()


def test_uniform_gap_is_compared_with_data():
    trained, true = [0.1, 0.3], [0.12, 0.27]
    assert uniform_convergence(2, 1000).check((trained, true))
    assert excess_bound(2, 1000).check((trained, true))
    with pytest.raises(CertificateError, match="the data show"):
        uniform_convergence(2, 1000).check((trained, [0.9, 0.3]))


@pytest.mark.parametrize(("hypotheses", "rows", "confidence"), [(2, 1000, 0.95), (50, 400, 0.9), (10**6, 9000, 0.99)])
def test_excess_is_twice_the_gap_of_all_hypotheses(hypotheses, rows, confidence):
    expected = 2 * math.sqrt(math.log(2 * hypotheses / (1 - confidence)) / (2 * rows))
    certificate = excess_bound(hypotheses, rows, confidence)
    assert certificate.value == pytest.approx(expected, rel=1e-9)
    assert certificate.value == pytest.approx(2 * uniform_convergence(hypotheses, rows, confidence).value, rel=1e-9)
    assert certificate.check()


def test_excess_of_the_winner_is_compared_with_data():
    certificate = excess_bound(3, 1000)  # 0.0978
    assert certificate.check(([0.1, 0.2, 0.3], [0.35, 0.3, 0.26]))  # the winner is 0.09 above the best
    with pytest.raises(CertificateError, match="the data show"):
        certificate.check(([0.1, 0.2, 0.3], [0.35, 0.3, 0.25]))  # 0.1
    with pytest.raises(CertificateError, match="the data show"):
        certificate.check(([0.1, 0.2], [0.1, 0.2]))  # another number of hypotheses


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vc_bound(1.5, 10, 2), "risk must be a number from 0 to 1"),
        (lambda: vc_bound(0.5, 10, -2), "vc must be a whole number"),
        (lambda: vc_rows(2, 2.0), "error must be"),
        (lambda: finite_class_bound(0, 10, 0), "hypotheses must be"),
        (lambda: uniform_convergence(10, 0), "rows must be"),
        (lambda: rademacher([[1, float("nan")]]), "non-empty finite"),
        (lambda: rademacher([["a"]]), "matrix must hold numbers"),
        (lambda: rademacher(np.ones((2, 30)), draws=0), "Hint: draws=1000"),
        (lambda: rademacher_bound(0.1, -1, 10), "complexity must be"),
        (lambda: kernel_margin_bound([1.0], 0.0, 1.0, [1.0]), "margin must be a finite number greater than 0"),
        (lambda: kernel_margin_bound([1.0], 1.0, 1.0, [1.0, 2.0]), "diagonal must have"),
        (lambda: kernel_margin_bound([], 1.0, 1.0, []), "margins must be a non-empty"),
        (lambda: voting_margin_bound([1.5], 0.1, 1), "margins must lie between -1 and 1; row 0"),
        (lambda: pac_bayes_margin([2.0]), "cosines between -1 and 1"),
        (lambda: stability_bound(2.0, 0.1, 10), "risk must be at most largest_loss"),
        (lambda: stability_bound(0.5, 0.1, 10, largest_loss=0.0), "largest_loss must be"),
        (lambda: svm_stability(1.0, 0.0, 10), "strength must be"),
    ],
)
def test_error_names_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
