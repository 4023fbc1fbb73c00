"""NuSVC where nu is too small for classes that overlap: the next larger nu with a margin is used, and said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from certus.guarantees import CertificateError
from certus.svm import NuSVC


def repeated_rows(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Few different rows, each with labels of several classes: no nu below the share of conflicts has a margin."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))[rng.integers(0, 60, 800)]
    score = X @ [1.0, -1.0, 0.5] + 0.6 * rng.normal(size=800)
    return X, np.digitize(score, [-0.6, 0.6])


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_labels_are_learned_where_nu_leaves_no_margin(kernel: str) -> None:
    for seed in range(3):
        X, y = repeated_rows(seed)
        with pytest.warns(ConvergenceWarning, match="leaves no margin"):
            machine = NuSVC(nu=0.05, kernel=kernel).fit(X[:300], y[:300])
        assert machine.nu_.shape == (3,)
        assert (machine.nu_ >= 0.05).all()
        assert machine.nu_.max() > 0.05
        # The optimum at nu = 0.05 is f = 0 for most pairs, which errs on half of the rows or more.
        assert np.mean(machine.predict(X[300:]) != y[300:]) < 0.35
        assert machine.report_.check((X[:300], y[:300]))


def test_the_pair_is_that_of_the_larger_nu() -> None:
    X, y = repeated_rows(5)
    X, y = X[y < 2][:200], y[y < 2][:200]
    with pytest.warns(ConvergenceWarning, match="1 of 1 pairs"):
        machine = NuSVC(nu=0.05).fit(X, y)
    again = NuSVC(nu=float(machine.nu_[0])).fit(X, y)
    assert np.abs(machine.decision_function(X) - again.decision_function(X)).max() < 1e-5


def test_a_nu_with_a_margin_stays() -> None:
    X, y = repeated_rows(7)
    machine = NuSVC(nu=0.5).fit(X[:200], y[:200])
    assert (machine.nu_ == 0.5).all()


def test_multipliers_of_another_nu_are_refused() -> None:
    X, y = repeated_rows(9)
    certificate = NuSVC(nu=0.5).fit(X[:200], y[:200]).report_["optimality gap"]
    assert certificate.check((X[:200], y[:200]))
    with pytest.raises(CertificateError):
        replace(certificate, inputs={**certificate.inputs, "nu": 0.4}).check((X[:200], y[:200]))
