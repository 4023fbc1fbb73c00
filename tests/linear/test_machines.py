"""Linear machines: optimality by gap and by KKT conditions, equal answers for equal problems, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import optimize, sparse
from sklearn.exceptions import ConvergenceWarning

from certus.base.callbacks import EarlyStopping, History
from certus.linear import LinearSVC, LinearSVR
from certus.linear._native_calls import machine_kernels as kernels
from certus.linear.problems.box_problem import MachineTable, classification, regression
from certus.linear.solvers.dual_coordinate_descent import descend
from certus.linear.solvers.machine_solvers import Accuracy, solve_machines

FORMS = [
    ("l2", "hinge", "ovr"),
    ("l2", "squared_hinge", "ovr"),
    ("l1", "squared_hinge", "ovr"),
    ("l2", "hinge", "crammer_singer"),
]
LOSSES = ["epsilon_insensitive", "squared_epsilon_insensitive"]
exact = Accuracy(tol=1e-4, gap_tol=None, max_iter=1000, seed=0, relative=False)


def labeled(seed: int, rows: int, columns: int, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * rng.lognormal(0.0, 1.0, columns)
    scores = X @ rng.normal(size=(columns, classes)) + 2.0 * rng.normal(size=(rows, classes))
    y = scores.argmax(axis=1)
    y[:classes] = np.arange(classes)
    return X, y


def objective(model: LinearSVC, X: np.ndarray, y: np.ndarray, costs: np.ndarray) -> float:
    """The documented objective, in the plainest form."""
    W, b = model.coef_, np.asarray(model.intercept_)
    if model.multi_class == "crammer_singer":
        scores = X @ W.T + b
        margins = scores + 1.0 - np.eye(len(W))[y]
        losses = margins.max(axis=1) - scores[np.arange(len(y)), y]
        return 0.5 * np.sum(W**2) + 0.5 * np.sum((b / model.intercept_scaling) ** 2) + costs @ losses
    total = 0.0
    for k, (w, c) in enumerate(zip(W, b, strict=True)):
        signs = np.where(y == (1 if len(W) == 1 else k), 1.0, -1.0)
        slack = np.maximum(0.0, 1.0 - signs * (X @ w + c))
        whole = np.append(w, c / model.intercept_scaling)
        total += np.abs(whole).sum() if model.penalty == "l1" else 0.5 * whole @ whole
        total += costs @ (slack if model.loss == "hinge" else slack**2)
    return float(total)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 100_000),
    st.sampled_from([(12, 3), (60, 5), (30, 50), (200, 2)]),
    st.sampled_from([1e-3, 0.1, 1.0, 30.0]),
    st.sampled_from(FORMS),
    st.sampled_from([2, 3]),
)
def test_classifiers_are_optimal_within_a_small_gap(
    seed: int, shape: tuple[int, int], C: float, form: tuple[str, str, str], classes: int
) -> None:
    penalty, loss, multi_class = form
    wanted = 1e-6
    if multi_class == "crammer_singer":  # coordinate descent alone: slow on badly scaled columns with a high cost
        classes, C, wanted = 3, min(C, 0.1), 1e-4
    X, y = labeled(seed, *shape, classes)
    model = LinearSVC(
        penalty=penalty, loss=loss, multi_class=multi_class, C=C, gap_tol=wanted, max_iter=100_000, random_state=0
    ).fit(X, y)
    gap = model.report_["optimality gap"]
    assert gap.check()
    assert model.gap_ <= wanted * gap.witness["objective_at_zero"]
    assert_allclose(gap.witness["objective"], objective(model, X, y, np.full(len(y), C)), rtol=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 100_000),
    st.sampled_from([(12, 3), (60, 5), (30, 50), (200, 2)]),
    st.sampled_from([1e-3, 1.0, 30.0]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from(LOSSES),
)
def test_regressors_are_optimal_to_machine_precision(
    seed: int, shape: tuple[int, int], C: float, epsilon: float, loss: str
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape)
    y = 3.0 * X[:, 0] + rng.standard_t(2, size=shape[0]) + 10.0
    model = LinearSVR(C=C, epsilon=epsilon, loss=loss).fit(X, y)
    gap = model.report_["optimality gap"]
    assert gap.check()
    assert model.gap_ <= 1e-9 * gap.witness["objective_at_zero"]
    excess = np.maximum(np.abs(y - model.predict(X)) - epsilon, 0.0)
    losses = excess if loss == "epsilon_insensitive" else excess**2
    whole = np.append(model.coef_, model.intercept_)
    assert_allclose(gap.witness["objective"], 0.5 * whole @ whole + C * losses.sum(), rtol=1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_quadratic_program_solver_finds_nothing_better(loss: str) -> None:
    X, y = labeled(5, 40, 3)
    model = LinearSVC(loss=loss, C=0.7).fit(X, y)
    Z, signs = np.hstack([X, np.ones((40, 1))]), np.where(y == 1, 1.0, -1.0)
    Q = (signs[:, None] * Z) @ (signs[:, None] * Z).T + (np.eye(40) / 1.4 if loss == "squared_hinge" else 0.0)
    top = 0.7 if loss == "hinge" else None
    found = optimize.minimize(
        lambda a: (0.5 * a @ Q @ a - a.sum(), Q @ a - 1.0),
        np.zeros(40),
        jac=True,
        bounds=[(0.0, top)] * 40,
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
    )
    assert_allclose(objective(model, X, y, np.full(40, 0.7)), -found.fun, rtol=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_the_certificate_holds_against_the_data(form: tuple[str, str, str]) -> None:
    X, y = labeled(1, 50, 4, 3)
    model = LinearSVC(penalty=form[0], loss=form[1], multi_class=form[2], class_weight={0: 2.0}).fit(X, y)
    assert model.report_["optimality gap"].check((X, y))


@pytest.mark.parametrize("share", [1e-1, 1e-2, 1e-5])
def test_history_of_a_coarse_fit_ends_with_its_gap(share: float) -> None:
    X, y = labeled(2, 300, 5)
    model = LinearSVC(loss="hinge", gap_tol=share, random_state=0).fit(X, y)
    assert model.history_[-1] == model.gap_ <= share * len(X)


def test_a_trial_of_passes_stops_when_asked_to() -> None:
    X, y = labeled(2, 300, 5)
    problem = classification(MachineTable(X, 1.0, 1), np.where(y > 0, 1.0, -1.0), np.ones(len(X)), squared=False)
    told: list[float] = []
    rule = Accuracy(tol=1e-4, gap_tol=1e-6, max_iter=1000, seed=0, relative=False)
    [found] = solve_machines([problem], rule, lambda _objective, gap: told.append(gap) or True)
    assert len(told) == 1
    assert not found.converged


def test_labels_of_the_exact_optimum_are_those_of_a_finer_solution() -> None:
    X, y = labeled(2, 300, 5, 3)
    rough = LinearSVC(loss="hinge", gap_tol=1e-3).fit(X, y)
    fine = LinearSVC(loss="hinge").fit(X, y)
    differ = int((rough.predict(X) != fine.predict(X)).sum())
    assert differ <= len(X) - rough.report_["labels of the exact optimum"].value
    assert fine.report_["labels of the exact optimum"].value >= len(X) - 1


@pytest.mark.parametrize("squared", [False, True])
def test_dual_descent_and_newton_agree(squared: bool) -> None:
    X, y = labeled(3, 150, 4)
    table = MachineTable(X, 1.5, 1)
    rng = np.random.default_rng(0)
    costs = rng.integers(0, 3, 150) * 0.5
    for problem in (
        classification(table, np.where(y == 1, 1.0, -1.0), costs, squared=squared),
        regression(table, X[:, 0] + rng.normal(size=150), costs, epsilon=0.2, squared=squared),
    ):
        [newton] = solve_machines([problem], exact, lambda *facts: False)
        rule = kernels.Descent(1e-3, False, 1e-11 * problem.at_zero, 100_000, 0)
        [descent] = descend([problem], rule, lambda *facts: False)
        assert descent.converged
        assert newton.converged
        assert_allclose(descent.w, newton.w, atol=1e-4 * np.abs(newton.w).max())


@pytest.mark.parametrize("form", FORMS)
def test_weights_are_repetitions(form: tuple[str, str, str]) -> None:
    X, y = labeled(4, 80, 4, 3)
    weights = np.random.default_rng(0).integers(0, 4, 80)
    options = {"penalty": form[0], "loss": form[1], "multi_class": form[2], "gap_tol": 1e-10, "max_iter": 100_000}
    weighted = LinearSVC(**options, random_state=0).fit(X, y, sample_weight=weights)
    repeated = LinearSVC(**options, random_state=0).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_allclose(weighted.coef_, repeated.coef_, atol=2e-4 * np.abs(repeated.coef_).max())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", FORMS)
def test_sparse_is_dense(form: tuple[str, str, str], dtype: type) -> None:
    X, y = labeled(6, 90, 6, 3)
    X = np.where(np.abs(X) > 0.5, X, 0.0).astype(dtype)
    options = {"penalty": form[0], "loss": form[1], "multi_class": form[2], "gap_tol": 1e-9, "max_iter": 100_000}
    dense = LinearSVC(**options, random_state=0).fit(X, y)
    thin = LinearSVC(**options, random_state=0).fit(sparse.csr_array(X), y)
    assert_allclose(thin.coef_, dense.coef_, atol=5e-4 * np.abs(dense.coef_).max())


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_large_sparse_table_goes_by_dual_descent(loss: str) -> None:
    rng = np.random.default_rng(0)
    X = sparse.random_array((3000, 4000), density=0.004, rng=rng, format="csr")
    y = (np.asarray(X[:, :50].sum(axis=1)).ravel() + 0.1 * rng.normal(size=3000) > 0.1).astype(int)
    model = LinearSVC(loss=loss, gap_tol=1e-5, random_state=0).fit(X, y)
    assert model.gap_ <= 1e-5 * model.report_["optimality gap"].witness["objective_at_zero"]
    assert model.history_[-1] == model.gap_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_descent_tells_its_gaps_and_can_be_stopped(multi_class: str) -> None:
    """Between stages of dual descent callbacks hear objective and gap; stopping there keeps what was found."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((2500, 2000), density=0.01, rng=rng, format="csr") * 30.0
    y = np.asarray(X @ rng.normal(size=(2000, 3)) + 20.0 * rng.normal(size=(2500, 3))).argmax(axis=1)
    options: dict[str, object] = {
        "multi_class": multi_class,
        "loss": "hinge",
        "C": 10.0,
        "random_state": 0,
        "tol": 1e-8,
    }
    history = History()
    model = LinearSVC(**options, max_iter=70)  # type: ignore[arg-type]
    model.set_callbacks(history).fit(X, y)
    told = [row["gap"] for row in history.rows]
    assert len(told) >= 3
    assert told[0] > told[-1] > 0.0
    assert model.n_iter_ == 70
    assert model.history_[-1] == model.gap_
    stopped = LinearSVC(**options, max_iter=70)  # type: ignore[arg-type]
    stopped.set_callbacks(EarlyStopping("gap", below=1e300)).fit(X, y)
    assert stopped.n_iter_ == 16
    assert not stopped.converged_
    assert stopped.gap_ > model.gap_
    alone = LinearSVC(**options, max_iter=70).fit(X, y)  # type: ignore[arg-type]
    np.testing.assert_array_equal(alone.coef_, model.coef_)


def test_the_intercept_is_a_penalized_constant_column() -> None:
    X, y = labeled(8, 60, 3)
    scaled = LinearSVC(intercept_scaling=7.0).fit(X, y)
    explicit = LinearSVC(fit_intercept=False).fit(np.hstack([X, np.full((60, 1), 7.0)]), y)
    assert_allclose(scaled.coef_, explicit.coef_[:, :3], rtol=1e-8)
    assert_allclose(scaled.intercept_, 7.0 * explicit.coef_[:, 3], rtol=1e-8)
    assert explicit.intercept_ == 0.0


def test_running_out_of_iterations_states_the_gap() -> None:
    X, y = labeled(9, 200, 5)
    with pytest.warns(ConvergenceWarning, match=r"failed to converge(.|\n)*certified to be within"):
        model = LinearSVC(loss="hinge", max_iter=2).fit(X, y)
    assert not model.converged_
    assert model.gap_ > 0.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e20, 1e145])
def test_extreme_scales_are_solved_or_told_by_the_gap(scale: float) -> None:
    X, y = labeled(10, 60, 3)
    model = LinearSVC(fit_intercept=False).fit(X * scale, y)
    assert np.isfinite(model.coef_).all()
    gap = model.report_["optimality gap"]
    assert gap.check()
    assert model.converged_ or model.gap_ > 1e-9 * gap.witness["objective_at_zero"]


def test_degenerate_tables() -> None:
    y = np.array([0, 1, 0, 1])
    assert LinearSVC().fit(np.zeros((4, 2)), y).coef_.tolist() == [[0.0, 0.0]]
    twice = LinearSVC().fit(np.array([[0.0, 0.0], [1.0, 1.0], [0.1, 0.1], [0.9, 0.9]]), y)
    assert_allclose(twice.coef_[0, 0], twice.coef_[0, 1])
    one_row = LinearSVR().fit([[2.0]], [3.0])
    assert one_row.gap_ < 1e-9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": "l1", "loss": "hinge"}, "combination of penalty='l1' and loss='hinge' is not supported"),
        ({"penalty": "l1", "dual": True}, "are not supported when dual=True"),
        ({"loss": "hinge", "dual": False}, "are not supported when dual=False"),
    ],
)
def test_combinations_that_cannot_be(options: dict[str, object], message: str) -> None:
    X, y = labeled(0, 20, 2)
    with pytest.raises(ValueError, match=f"{message}(.|\n)*Hint"):
        LinearSVC(**options).fit(X, y)  # type: ignore[arg-type]


def test_regression_has_no_primal_form_of_the_plain_loss() -> None:
    with pytest.raises(ValueError, match="supported when dual=False"):
        LinearSVR(dual=False).fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("difference", [1e-4, 1e-6, 1e-8])
def test_nearly_collinear_columns_with_an_l1_penalty_end_soon(difference: float) -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(300, 6)), 2, axis=1)
    X[:, 1::2] += difference * rng.normal(size=(300, 6))
    y = np.digitize(X[:, :6].sum(axis=1) / 2.0 + 0.3 * rng.normal(size=300), [-1.0, 1.0])
    model = LinearSVC(penalty="l1", dual=False).fit(X, y)
    assert model.converged_
    assert model.n_iter_ <= 60
    assert model.gap_ <= 1e-6 * 3 * 300
    assert model.report_.check((X, y))


def test_default_tolerance_of_a_large_kinked_machine() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(21_000, 100))
    y = X[:, 0] + rng.normal(size=21_000) > 0.0
    model = LinearSVC(loss="hinge", C=0.01).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-6 * 0.01 * 21_000 * (1.0 + 1e-9) + 1e-8
