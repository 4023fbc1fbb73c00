"""Bounds from training rows: published numbers, slow twins, checks by a second route, extremes and misuse."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from certus.guarantees import (
    Certificate,
    CertificateError,
    c_bound,
    campi_garatti,
    cantelli_bound,
    chernoff_lower_tail,
    compression_bound,
    condorcet,
    first_order_bound,
    jaakkola_haussler,
    oob_vote_bounds,
    out_of_bag_errors,
    pac_bayes_kl,
    ridge_leave_one_out,
    support_leave_one_out,
    tandem_bound,
    xi_alpha,
)
from certus.guarantees.training.pac_bayes_constant import log_xi, log_xi_of_three, summed_log_xi
from certus.guarantees.votes.majority_votes import cantelli
from tests.guarantees import twins


@pytest.mark.parametrize(
    ("support", "rows", "value"),
    [
        (50, 1000, 0.073),
        (10, 200, 0.1057),
        (0, 1000, 0.0045),
        (10, 1000, 0.0217),
        (100, 1000, 0.1316),
        (250, 5000, 0.0604),
        (2000, 20000, 0.1075),
    ],
)
def test_campi_garatti_numbers(support, rows, value):
    assert campi_garatti(support, rows).value == pytest.approx(value, abs=5e-4 if value == 0.073 else 6e-5)


@pytest.mark.parametrize(
    ("support", "rows", "value"),
    [(50, 1000, 0.195), (10, 1000, 0.0624), (100, 1000, 0.3084), (250, 5000, 0.1899), (2000, 20000, 0.3035)],
)
def test_classical_compression_numbers(support, rows, value):
    assert compression_bound(support, 0, rows).value == pytest.approx(value, abs=5.5e-4 if value == 0.195 else 6e-5)


def test_a_tail_that_underflows_does_not_shrink_the_bound():
    """The binomial distribution function in logarithms is -inf here, and a bisection on it gave .153."""
    assert stats.binom.logcdf(5, 5000, 0.5) == -math.inf
    for errors, least in ((0, 0.304), (5, 0.304), (200, 0.304)):
        bound = compression_bound(500, errors, 5000)
        assert bound.value >= least - 5e-4
        assert bound.check()
    assert compression_bound(500, 0, 5000).value == pytest.approx(0.304, abs=5e-4)


def test_constant_of_pac_bayes():
    assert math.exp(log_xi(1000)) == pytest.approx(40.303212926198775, rel=1e-11)
    for rows in (1, 2, 7, 9, 10, 25, 60):
        assert math.exp(log_xi(rows)) == pytest.approx(float(twins.xi(rows)), rel=1e-10)
        assert log_xi(rows) >= math.log(twins.xi(rows))
    for rows in (1, 3, 8, 15):
        assert math.exp(log_xi_of_three(rows)) == pytest.approx(float(twins.xi_of_three(rows)), rel=1e-10)
    for rows in (8, 1000, 10**6, 10**9):
        assert log_xi(rows) == pytest.approx(summed_log_xi(rows), rel=1e-12)
        assert log_xi(rows) <= math.log(2 * math.sqrt(rows))


def test_c_bound_of_the_published_tool():
    assert c_bound(0.2, 0.3, 1000, kl=2.0).value == pytest.approx(0.360433, abs=5e-6)


@pytest.mark.parametrize(
    ("half", "edge", "exact", "chernoff", "hoeffding", "crude"),
    [
        (10, 0.1, 0.174378, 0.7647, 0.5253, 0.9231),
        (100, 0.1, 0.00206503, 0.172153, 0.0147, 0.449329),
        (10, 0.2, 0.0264, 0.4717, 0.1220, 0.7261),
    ],
)
def test_crowd_numbers(half, edge, exact, chernoff, hoeffding, crude):
    found = condorcet(2 * half + 1, edge)
    assert found.exact == pytest.approx(exact, abs=2e-5)
    assert found.chernoff == pytest.approx(chernoff, abs=6e-5)
    assert found.hoeffding == pytest.approx(hoeffding, abs=6e-5)
    assert found.crude == pytest.approx(crude, abs=6e-5)


def test_crowd_of_fifty_and_of_one():
    assert condorcet(101, 0.1).exact == pytest.approx(0.0208967, abs=5e-8)
    assert condorcet(3, 0.1).exact == pytest.approx(0.352, abs=1e-12)
    assert condorcet(1, 0.0).exact == 0.5
    assert condorcet(1, 0.5).exact == 0.0


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 18).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))), st.sampled_from([0.5, 0.9, 0.99])
)
def test_campi_garatti_agrees_with_fractions(counts, confidence):
    support, rows = counts
    found = campi_garatti(support, rows, confidence).value
    twin = 1 if support == rows else twins.scenario_upper(support, rows, 1 - Fraction(str(confidence)))
    assert float(twin) * (1 - 1e-12) - 1e-12 <= found <= float(twin) * (1 + 1e-8) + 1e-12


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 10**5).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))),
    st.sampled_from([0.5, 0.95, 0.999999999999]),
    st.sampled_from([1, 40]),
)
def test_every_campi_garatti_bound_can_be_checked(counts, confidence, uses):
    bound = campi_garatti(*counts, confidence, uses=uses)
    assert bound.check()
    assert counts[0] / counts[1] <= bound.value <= 1.0
    assert Certificate.from_json(bound.to_json()).check()


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 3000).flatmap(
        lambda m: st.integers(0, m).flatmap(lambda k: st.tuples(st.just(k), st.integers(0, m - k), st.just(m)))
    ),
    st.sampled_from([0.5, 0.95, 0.999999999999]),
    st.sampled_from([0.0, 2.0, 5000.0]),
)
def test_every_compression_bound_can_be_checked(counts, confidence, messages):
    bound = compression_bound(*counts, confidence, log_messages=messages)
    assert bound.check()
    assert 0 < bound.value <= 1
    if counts[1] == 0 and messages == 0.0 and counts[0] < counts[2]:
        assert campi_garatti(counts[0], counts[2], confidence).value <= bound.value * (1 + 1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0, 1),
    st.sampled_from([0.0, 1e-9, 3.0, 1e4]),
    st.sampled_from([1, 8, 100, 10**6, 10**9]),
    st.sampled_from(["upper", "lower", "both"]),
    st.sampled_from([0.5, 0.95, 0.999999999999]),
)
def test_every_pac_bayes_bound_can_be_checked(risk, kl, rows, side, confidence):
    bound = pac_bayes_kl(risk, kl, rows, confidence, side=side)
    assert bound.check()
    low, high = bound.value if side == "both" else (bound.value, 1.0) if side == "lower" else (0.0, bound.value)
    assert 0 <= low <= risk <= high <= 1


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([0.0, 0.7, 30.0]),
    st.sampled_from([1, 30, 1000, 10**6]),
    st.sampled_from([0.5, 0.95, 0.999999999999]),
)
def test_every_vote_bound_can_be_checked(first, second, kl, rows, confidence):
    gibbs, tandem = max(first, second), min(first, second)
    disagreement = min(2 * (gibbs - tandem), 2 * (1 - gibbs))
    for bound in (
        first_order_bound(gibbs, rows, confidence, kl=kl),
        tandem_bound(tandem, rows, confidence, kl=kl),
        cantelli_bound(gibbs, rows, tandem, rows, confidence, kl=kl),
        c_bound(gibbs, disagreement, rows, confidence, kl=kl),
    ):
        assert bound.check()
        assert 0 <= bound.value <= 1


def test_bounds_of_votes_hold_for_every_distribution_of_wrong_weight():
    """Exact risks: P(W >= 1/2) is at most 2 g, 4 t, and Cantelli's value, for random laws of W."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        support, chances = rng.random(5), rng.dirichlet(np.ones(5))
        g, t = chances @ support, chances @ support**2
        truth = chances[support >= 0.5].sum()
        assert truth <= min(2 * g, 4 * t) + 1e-12
        assert truth <= min(1.0, cantelli(t, g)) + 1e-12
        if g < 0.5:
            apart = 2 * (g - t)
            assert cantelli(t, g) == pytest.approx(min(4 * t, 1 - (1 - 2 * g) ** 2 / (1 - 2 * apart)), rel=1e-9) or (
                cantelli(t, g) >= 1 - (1 - 2 * g) ** 2 / (1 - 2 * apart) - 1e-12
            )


def votes_of_a_forest(seed=0, voters=7, rows=120):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, rows)
    votes = np.where(rng.random((voters, rows)) < 0.2, (labels + 1) % 3, labels)
    return rng.random((voters, rows)) < 0.4, votes, labels, rng.random(voters)


def test_out_of_bag_bounds_are_checked_against_the_votes():
    masks, votes, labels, weights = votes_of_a_forest()
    for data in ((masks, votes, labels), (masks, votes, labels, weights)):
        bounds = oob_vote_bounds(*data[:3], weights=data[3] if len(data) > 3 else None)
        assert set(bounds) == {"first-order", "tandem", "cantelli", "c-bound"}
        for bound in bounds.values():
            assert bound.check(data)
            with pytest.raises(CertificateError, match="the data give"):
                bound.check((masks, (votes + 1) % 3, labels, *data[3:]))
    with pytest.raises(CertificateError, match="data must be"):
        bound.check(votes)


def test_pairs_without_common_rows_say_nothing():
    bounds = oob_vote_bounds([[1, 0], [0, 1]], [[0, 0], [0, 0]], [0, 0])
    assert set(bounds) == {"first-order"}


def test_votes_inside_the_bag_are_not_read():
    masks, votes, labels, _ = votes_of_a_forest()
    changed = np.where(masks, votes, 99)
    assert out_of_bag_errors(masks, votes, labels) == out_of_bag_errors(masks, changed, labels)


def test_tampering_is_found():
    for bound in (
        campi_garatti(50, 1000),
        compression_bound(50, 3, 1000),
        pac_bayes_kl(0.1, 2.0, 500),
        tandem_bound(0.01, 3000),
        cantelli_bound(0.1, 3000, 0.01, 3000),
        c_bound(0.2, 0.3, 1000, kl=2.0),
    ):
        assert bound.check()
        with pytest.raises(CertificateError, match="second route"):
            dataclasses.replace(bound, value=bound.value * (1 - 1e-5)).check()
        with pytest.raises(CertificateError, match="second route"):
            dataclasses.replace(bound, value=bound.value * (1 + 1e-5)).check()
        with pytest.raises(CertificateError, match="assumptions"):
            dataclasses.replace(bound, assumptions=("iid",)).check()


def test_data_are_compared():
    flags = np.arange(1000) < 50
    assert campi_garatti(50, 1000).check(flags)
    with pytest.raises(CertificateError, match="support rows"):
        campi_garatti(51, 1000).check(flags)
    assert compression_bound(10, 2, 30).check([1, 1] + [0] * 18)
    with pytest.raises(CertificateError, match="errors in"):
        compression_bound(10, 2, 30).check([1] + [0] * 19)
    assert pac_bayes_kl(0.5, 1.0, 4).check([0, 1, 0.5, 0.5])
    with pytest.raises(CertificateError, match="mean"):
        pac_bayes_kl(0.4, 1.0, 4).check([0, 1, 0.5, 0.5])


def test_trying_settings_costs():
    assert campi_garatti(50, 1000, uses=10).value == campi_garatti(50, 1000, 0.995).value
    assert "candidates-counted" in campi_garatti(50, 1000, uses=10).assumptions


def kernel_machine(gram, y, strength):
    """Soft-margin machine without offset by coordinate ascent on its dual."""
    alphas, scores = np.zeros(len(y)), np.zeros(len(y))
    for _ in range(4000):
        moved = 0.0
        for i in range(len(y)):
            new = min(strength, max(0.0, alphas[i] + (1 - y[i] * scores[i]) / gram[i, i]))
            if new != alphas[i]:
                scores += (new - alphas[i]) * y[i] * gram[:, i]
                moved, alphas[i] = max(moved, abs(new - alphas[i])), new
        if moved < 1e-10:
            break
    return alphas


@pytest.mark.parametrize("seed", range(4))
def test_jaakkola_haussler_bounds_retraining(seed):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(24) % 2, 1.0, -1.0)
    points = rng.normal(size=(24, 2)) + 0.8 * y[:, None]
    gram = np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2) / 2)
    alphas = kernel_machine(gram, y, 0.7)
    margins = y * (gram @ (alphas * y))
    bound = jaakkola_haussler(alphas, np.diag(gram), margins)
    errors = 0
    for i in range(24):
        rest = np.delete(np.arange(24), i)
        left = kernel_machine(gram[np.ix_(rest, rest)], y[rest], 0.7)
        errors += y[i] * (gram[i, rest] @ (left * y[rest])) <= 0
    support = support_leave_one_out(int((alphas > 1e-9).sum()), 24)
    assert errors / 24 <= bound.value <= support.value
    assert bound.check()
    assert bound.kind == "estimate"
    assert not bound.guaranteed
    assert xi_alpha(alphas, np.maximum(0, 1 - margins), 1.0).value >= errors / 24
    with pytest.raises(CertificateError, match="counted rows"):
        bound.check([True] * 24 if bound.value < 1 else [False] * 24)


def test_ridge_leaves_out_exactly():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(12, 3)), rng.normal(size=12)
    hat = x @ np.linalg.solve(x.T @ x + 0.5 * np.eye(3), x.T)
    found = ridge_leave_one_out(y - hat @ y, np.diag(hat))
    for i in range(12):
        a, b = np.delete(x, i, axis=0), np.delete(y, i)
        assert found[i] == pytest.approx(y[i] - x[i] @ np.linalg.solve(a.T @ a + 0.5 * np.eye(3), a.T @ b), rel=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: campi_garatti(7, 5), r"support must be at most rows \(5\), got 7"),
        (lambda: campi_garatti(1.5, 5), "support must be a whole number"),
        (lambda: campi_garatti(1, 5, 95), "confidence must be"),
        (lambda: campi_garatti(1, 5, uses=0), "uses must be"),
        (lambda: compression_bound(3, 3, 5), r"support \+ errors must be at most rows"),
        (lambda: compression_bound(3, 1, 5, log_messages=-1), "log_messages must be a finite number of at least 0"),
        (lambda: pac_bayes_kl(1.2, 1, 10), "risk must be a number from 0 to 1"),
        (lambda: pac_bayes_kl(0.2, -1, 10), "kl must be .*\nHint: a relative entropy"),
        (lambda: pac_bayes_kl(0.2, float("nan"), 10), "kl must be"),
        (lambda: pac_bayes_kl(0.2, 1, 0), "rows must be"),
        (lambda: pac_bayes_kl(0.2, 1, 10, side="top"), "side must be one of"),
        (lambda: first_order_bound("x", 10), "gibbs must be a number from 0 to 1"),
        (lambda: tandem_bound(-0.1, 10), "tandem must be a number from 0 to 1"),
        (lambda: c_bound(0.1, 0.5, 10), "gibbs must lie between disagreement/2"),
        (lambda: oob_vote_bounds([1, 0], [1, 0], [1, 0]), r"masks must be a \(voters, rows\) table"),
        (lambda: oob_vote_bounds([[1, 0]], [[1, 0, 1]], [1, 0]), "votes must have the shape of masks"),
        (lambda: oob_vote_bounds([[0, 0]], [[1, 0]], [1, 0]), "voter 0 has no row outside its bag"),
        (lambda: oob_vote_bounds([[1, 0]], [[1, 0]], [1, 0], weights=[-1]), "weights must be 1 finite numbers"),
        (lambda: condorcet(4, 0.1), "voters must be odd"),
        (lambda: condorcet(5, 0.6), "edge must lie between 0 and 0.5"),
        (lambda: chernoff_lower_tail(3.0, 4.0), "most must lie between 0 and mean"),
        (lambda: jaakkola_haussler([-1.0], [1.0], [1.0]), "alphas must be at least 0; row 0"),
        (lambda: jaakkola_haussler([1.0], [1.0, 2.0], [1.0]), "diagonal must be a non-empty finite column"),
        (lambda: xi_alpha([1.0], [0.0], -1.0), "radius_squared must be"),
        (lambda: support_leave_one_out(6, 5), "support must be at most rows"),
        (lambda: ridge_leave_one_out([1.0], [1.0]), "leverages must be below 1; row 0"),
        (lambda: ridge_leave_one_out([1.0], [0.1, 0.2]), "equally long finite columns"),
    ],
)
def test_error_names_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
