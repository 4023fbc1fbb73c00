"""MLPClassifier and MLPRegressor: what their options do, and that they agree with what is known exactly."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale
from sklearn.svm import SVC as ForeignSVC

from certus.linear import LogisticRegression, Ridge
from certus.neural import MLPClassifier, MLPRegressor
from certus.neural.learning.patience import Patience

RNG = np.random.default_rng(0)
X_SMALL = RNG.normal(size=(150, 4))
LABELS = (X_SMALL[:, 0] * X_SMALL[:, 1] > 0).astype(int) + (X_SMALL[:, 2] > 1)
NUMBERS = np.sin(X_SMALL[:, 0]) + X_SMALL[:, 1] ** 2
QUIET: dict[str, Any] = {"tol": 1e9, "n_iter_no_change": 30, "random_state": 0}  # 32 epochs without a warning


def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def test_without_hidden_layers_it_is_the_linear_model() -> None:
    X, y = cancer()
    alpha = 1.0
    neuron = MLPClassifier((), solver="lbfgs", alpha=alpha, tol=1e-10, max_iter=5000, random_state=0).fit(X, y)
    known = LogisticRegression(C=1.0 / alpha, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(neuron.coefs_[0].T, known.coef_, atol=1e-5)
    np.testing.assert_allclose(neuron.intercepts_[0], known.intercept_, atol=1e-5)
    digits, labels = load_digits(return_X_y=True)
    both = MLPClassifier((), solver="lbfgs", alpha=10.0, tol=1e-8, max_iter=5000, random_state=0).fit(digits, labels)
    softmax = LogisticRegression(C=0.1, tol=1e-9).fit(digits, labels)
    np.testing.assert_allclose(both.predict_proba(digits), softmax.predict_proba(digits), atol=1e-3)
    line = MLPRegressor("squared_error", (), solver="lbfgs", alpha=2.0, tol=1e-10, max_iter=5000, random_state=0)
    ridge = Ridge(alpha=2.0).fit(X_SMALL, NUMBERS)
    np.testing.assert_allclose(line.fit(X_SMALL, NUMBERS).coefs_[0][:, 0], ridge.coef_, atol=1e-6)


def test_without_activation_layers_collapse_to_one() -> None:
    model = MLPRegressor("squared_error", (7, 5, 6), "identity", **QUIET).fit(X_SMALL, NUMBERS)
    weights = np.linalg.multi_dot(model.coefs_)[:, 0]
    rest = NUMBERS * 0.0 + model.predict(np.zeros((1, 4)))
    np.testing.assert_allclose(model.predict(X_SMALL), X_SMALL @ weights + rest, atol=1e-12)


def test_units_that_start_equal_stay_equal() -> None:
    model = MLPClassifier((6,), "tanh", warm_start=True, **QUIET).fit(X_SMALL, LABELS)
    for coef in (*model.coefs_, *model.intercepts_):
        coef[:] = 0.3
    model.fit(X_SMALL, LABELS)
    first = model.coefs_[0]
    assert not np.allclose(first, 0.3)
    np.testing.assert_allclose(first, np.repeat(first[:, :1], 6, axis=1), atol=1e-12)


def test_the_loss_is_the_negative_log_likelihood_and_the_penalty() -> None:
    model = MLPClassifier((5,), solver="lbfgs", alpha=0.5, max_iter=20, random_state=0)
    with pytest.warns(ConvergenceWarning):
        model.fit(X_SMALL, LABELS)
    likelihood = np.log(model.predict_proba(X_SMALL)[np.arange(150), LABELS]).mean()
    squares = sum(float((coef**2).sum()) for coef in model.coefs_)
    assert model.loss_ == pytest.approx(-likelihood + 0.5 * 0.5 * squares / 150)
    scores = np.maximum(X_SMALL @ model.coefs_[0] + model.intercepts_[0], 0) @ model.coefs_[1] + model.intercepts_[1]
    np.testing.assert_allclose(
        model.predict_log_proba(X_SMALL), scores - logsumexp(scores, axis=1, keepdims=True), atol=1e-10
    )


@pytest.mark.parametrize("solver", ["sgd", "adam", "adamw", "adagrad", "rmsprop", "lbfgs"])
def test_every_solver_learns(solver: str) -> None:
    X, y = cancer()
    rate = {"sgd": 0.1, "adagrad": 0.05}.get(solver, 0.01)
    model = MLPClassifier((16,), solver=solver, learning_rate_init=rate, learning_rate="cosine", max_iter=40)
    assert model.set_params(random_state=0).fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.94


def test_l1_makes_exact_zeros() -> None:
    X = RNG.normal(size=(400, 30))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    options: dict[str, Any] = {
        "learning_rate_init": 0.01,
        "learning_rate": "linear",
        "max_iter": 150,
        "random_state": 0,
    }
    sparse_net = MLPClassifier((10,), l1=1.5, alpha=0.0, **options).fit(X, y)
    dense_net = MLPClassifier((10,), alpha=0.0, **options).fit(X, y)
    assert (dense_net.coefs_[0] == 0.0).sum() == 0
    unused = sparse_net.coefs_[0][2:]
    assert (unused == 0.0).mean() > 0.7
    assert sparse_net.score(X, y) > 0.95


def test_weights_of_classes_are_weights_of_rows() -> None:
    by_class = {0: 1.0, 1: 3.0, 2: 0.5}
    one = MLPClassifier((6,), class_weight=by_class, **QUIET).fit(X_SMALL, LABELS)
    other = MLPClassifier((6,), **QUIET).fit(X_SMALL, LABELS, np.array([by_class[label] for label in LABELS]))
    np.testing.assert_array_equal(one.coefs_[0], other.coefs_[0])


def test_smoothed_labels_keep_probabilities_from_the_ends() -> None:
    X, y = cancer()
    plain, smooth = (
        MLPClassifier((8,), solver="lbfgs", alpha=0.0, label_smoothing=share, max_iter=2000, random_state=0).fit(X, y)
        for share in (0.0, 0.2)
    )
    assert plain.predict_proba(X).max() > 0.99
    assert np.median(smooth.predict_proba(X).max(axis=1)) == pytest.approx(0.9, abs=0.01)


def test_own_validation_rows_keep_the_best_epoch() -> None:
    X, y = cancer()
    model = MLPClassifier((30,), learning_rate_init=0.05, n_iter_no_change=5, random_state=0)
    model.fit(X[:60], y[:60], X_val=X[200:], y_val=y[200:])
    assert model.validation_scores_ is not None
    assert model.best_iter_ == int(np.argmax(model.validation_scores_)) + 1 <= model.n_iter_
    assert model.score(X[200:], y[200:]) == model.best_validation_score_ == max(model.validation_scores_)
    line = MLPRegressor("squared_error", (10,), learning_rate_init=0.05, max_iter=400, random_state=0)
    line.fit(X_SMALL[:100], NUMBERS[:100], X_val=X_SMALL[100:], y_val=NUMBERS[100:])
    assert line.score(X_SMALL[100:], NUMBERS[100:]) == pytest.approx(line.best_validation_score_)


def test_patience_of_four_keeps_epoch_five_of_nine() -> None:
    patience = Patience(limit=4)
    scores = [1, 2, 3, 4, 5, 4, 4.5, 4.9, 3, 9]
    stopped = next(epoch for epoch, score in enumerate(scores, 1) if patience.tell(epoch, score).over)
    assert (stopped, patience.best_epoch) == (9, 5)
    assert Patience(limit=2).tell(1, float("nan")).tell(2, float("nan")).over


def test_dropout_and_normalisation_only_change_training() -> None:
    X, y = cancer()
    dropped = MLPClassifier((40,), dropout=0.5, learning_rate="cosine", max_iter=40, random_state=0).fit(X, y)
    np.testing.assert_array_equal(dropped.predict_proba(X), dropped.predict_proba(X))
    assert dropped.score(X, y) > 0.92
    shifted = 1000.0 + 50.0 * X  # a batch-normalized network does not mind
    normal = MLPClassifier((20,), batch_norm=True, learning_rate_init=0.01, learning_rate="cosine", max_iter=60)
    normal.set_params(random_state=0).fit(shifted, y)
    assert normal.score(shifted, y) > 0.95
    one_by_one = np.vstack([normal.predict_proba(row[None]) for row in shifted[:20]])
    np.testing.assert_allclose(one_by_one, normal.predict_proba(shifted)[:20], rtol=1e-9)


def test_losses_of_regression_find_their_answers() -> None:
    X = np.zeros((2001, 1))
    y = RNG.exponential(size=2001)
    options: dict[str, Any] = {
        "hidden_layer_sizes": (),
        "learning_rate": "linear",
        "learning_rate_init": 0.02,
        "max_iter": 60,
        "n_iter_no_change": np.inf,
        "random_state": 0,
    }
    assert MLPRegressor("absolute_error", **options).fit(X, y).predict(X[:1])[0] == pytest.approx(
        np.median(y), abs=0.02
    )
    tails = MLPRegressor("quantile", quantiles=(0.1, 0.5, 0.9), **options).fit(X, y).predict(X[:1])[0]
    np.testing.assert_allclose(tails, np.quantile(y, (0.1, 0.5, 0.9)), atol=0.1)
    assert (np.diff(tails) > 0).all()
    counts = RNG.poisson(4.0, 2001)
    assert MLPRegressor("poisson", **options).fit(X, counts).predict(X[:1])[0] == pytest.approx(counts.mean(), rel=0.03)
    outliers = np.concatenate([np.zeros(1900), np.full(101, 100.0)])
    assert MLPRegressor("huber", **options).fit(X, outliers).predict(X[:1])[0] == pytest.approx(101 / 1900, abs=0.02)


def test_several_starts_keep_the_best_or_average_all() -> None:
    options = {"n_init": 3, "hidden_layer_sizes": (4,), "solver": "lbfgs", "random_state": 0, "max_iter": 3000}
    best = MLPRegressor(combine="best", **options).fit(X_SMALL, NUMBERS)
    every = MLPRegressor(combine="average", **options).fit(X_SMALL, NUMBERS)
    losses = [member.loss_ for member in every.members_]
    assert len(set(losses)) == 3
    assert best.loss_ == min(losses)
    assert not hasattr(best, "members_")
    means = np.mean([member.predict(X_SMALL) for member in every.members_], axis=0)
    np.testing.assert_allclose(every.predict(X_SMALL), means)
    votes = MLPClassifier(combine="average", **options).fit(X_SMALL, LABELS)
    np.testing.assert_allclose(votes.predict_proba(X_SMALL).sum(axis=1), 1.0)


def test_partial_fit_goes_on_with_the_memory_of_the_optimizer() -> None:
    half = MLPRegressor("squared_error", (6,), **(QUIET | {"n_iter_no_change": 9})).fit(X_SMALL, NUMBERS)
    whole = MLPRegressor("squared_error", (6,), **(QUIET | {"n_iter_no_change": 14})).fit(X_SMALL, NUMBERS)
    assert (half.n_iter_, whole.n_iter_) == (11, 16)
    copied = pickle.loads(pickle.dumps(half))
    for _ in range(5):
        half.partial_fit(X_SMALL, NUMBERS)
        copied.partial_fit(X_SMALL, NUMBERS)
    np.testing.assert_array_equal(half.coefs_[0], whole.coefs_[0])
    np.testing.assert_array_equal(copied.coefs_[1], whole.coefs_[1])


def test_weights_that_a_user_changes_count() -> None:
    model = MLPRegressor("squared_error", (6,), **QUIET).fit(X_SMALL, NUMBERS)
    changed = copy.deepcopy(model)
    changed.coefs_ = [coef.copy() for coef in changed.coefs_]
    changed.coefs_[1][:] = 0.0
    assert (changed.predict(X_SMALL) == changed.intercepts_[1]).all()
    changed.intercepts_[1][:] = 7.0
    assert (changed.predict(X_SMALL) == 7.0).all()
    assert np.ptp(model.predict(X_SMALL)) > 0.0


def test_several_labels_per_row_and_their_batches() -> None:
    y = np.column_stack([LABELS > 0, X_SMALL[:, 1] > 0, X_SMALL[:, 2] > 0]).astype(int)
    model = MLPClassifier((20,), solver="lbfgs", random_state=0, max_iter=500).fit(X_SMALL, y)
    assert model.score(X_SMALL, y) > 0.95
    assert model.predict(X_SMALL).shape == model.predict_proba(X_SMALL).shape == (150, 3)
    batch = MLPClassifier((20,), random_state=0)
    for _ in range(3):
        batch.partial_fit(X_SMALL, y, classes=[0, 1, 2])
    assert batch.predict_proba(sparse.csr_array(X_SMALL)).shape == (150, 3)


def test_the_kernel_of_a_wide_random_network_is_the_arc_cosine_kernel() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 3))
    lengths = np.linalg.norm(X, axis=1)
    angles = np.arccos(np.clip(X @ X.T / np.outer(lengths, lengths), -1, 1))
    limit = np.outer(lengths, lengths) * (np.sin(angles) + (np.pi - angles) * np.cos(angles)) / (2 * np.pi)
    errors = []
    for width in (100, 10_000):
        found = []
        for _ in range(20):
            model = MLPRegressor("squared_error", (width,), max_iter=1, tol=1e9, random_state=0)
            with pytest.warns(ConvergenceWarning):
                model.fit(X, lengths)
            model.coefs_[0][:] = rng.normal(size=(3, width))
            model.intercepts_[0][:] = 0.0
            found.append(np.abs(model.kernel(X) - limit).mean())
        errors.append(float(np.mean(found)))
    assert errors[1] / errors[0] == pytest.approx(0.1, rel=0.3)  # the rate m^-1/2


def test_a_learned_kernel_serves_a_support_vector_machine() -> None:
    X, y = cancer()
    model = MLPClassifier((20, 10), solver="lbfgs", random_state=0).fit(X[:300], y[:300])
    kernel = model.kernel(X[:50])
    assert np.linalg.eigvalsh(kernel).min() > -1e-10
    np.testing.assert_allclose(kernel, model.hidden(X[:50]) @ model.hidden(X[:50]).T / 10)
    assert model.hidden(X[:5], layer=0).shape == (5, 20)
    assert ForeignSVC(kernel=model.kernel).fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.92


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hidden_layer_sizes": (3, 0)}, "hidden_layer_sizes must be > 0"),
        ({"activation": ("relu", "tanh")}, "one of them per hidden layer"),
        ({"activation": ("step",)}, "one of them per hidden layer"),
        ({"solver": "lbfgs", "dropout": 0.5}, "needs a stochastic solver"),
        ({"solver": "lbfgs", "l1": 0.5}, "needs a stochastic solver"),
        ({"frozen": 2}, "at most the number of hidden layers"),
        ({"auxiliary": 0.5}, "needs two hidden layers"),
        ({"start": MLPClassifier()}, "start must be a fitted network"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as raised:
        MLPClassifier(**({"hidden_layer_sizes": (4,)} | options)).fit(X_SMALL, LABELS)
    assert "Hint:" in str(raised.value)


def test_bad_targets_are_refused() -> None:
    with pytest.raises(ValueError, match="needs targets of 0 or more; y has -1 at row 3"):
        MLPRegressor("poisson").fit(X_SMALL[:5], [1, 2, 3, -1, 2])
    with pytest.raises(ValueError, match="ascending numbers between 0 and 1"):
        MLPRegressor("quantile", quantiles=(0.5, 0.1)).fit(X_SMALL, NUMBERS)
    with pytest.raises(ValueError, match="quantiles of one number per row"):
        MLPRegressor("quantile").fit(X_SMALL, X_SMALL)
    with pytest.raises(ValueError, match="The input data may contain large values"):
        MLPRegressor().fit(X_SMALL * 1e306, NUMBERS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"X_val": X_SMALL}, "X_val needs y_val"),
        ({"X_val": X_SMALL[:5], "y_val": LABELS}, "must be equally long; got 5 rows and 150 targets"),
        ({"X_val": X_SMALL[:, :2], "y_val": LABELS}, "expecting 4 features"),
        ({"X_val": X_SMALL, "y_val": LABELS + 5}, "which the training rows do not"),
    ],
)
def test_validation_rows_are_checked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        MLPClassifier((4,), max_iter=2).fit(X_SMALL, LABELS, **options)


def test_weights_that_fit_nothing_are_refused() -> None:
    model = MLPClassifier((4,), **QUIET).fit(X_SMALL, LABELS)
    model.coefs_[0] = np.zeros((3, 4))
    with pytest.raises(ValueError, match="X must be a table of 3 columns"):
        model.predict(X_SMALL)
    model.coefs_[0] = np.zeros((4, 5))
    with pytest.raises(ValueError, match="which make no network"):
        model.predict(X_SMALL)
    model.fit(X_SMALL, LABELS)
    with pytest.raises(ValueError, match="cannot go on with"):
        model.set_params(warm_start=True, hidden_layer_sizes=(7,)).fit(X_SMALL, LABELS)
