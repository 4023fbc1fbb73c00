"""Columns far from 0: with an intercept the linear kernel gives the machine of the columns close to 0."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

import certus
from certus.guarantees import CertificateError
from certus.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM, OneVsRestSVC, leave_one_out

MACHINES = [SVC(C=10.0), NuSVC(nu=0.3), OneVsRestSVC(), SVR(C=10.0), NuSVR()]


def problem(machine: Any, offset: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows, the same rows with an offset that loses at most seven digits of them, targets, offsets."""
    rng = np.random.default_rng(3)
    shift = offset * np.array([1.0, -1.0, 1.0])
    far = rng.normal(size=(120, 3)) + shift
    near = far - shift  # exactly the same rows
    score = near @ [1.0, -1.0, 0.5] + 0.3 * rng.normal(size=120)
    return near, far, score if "SVR" in type(machine).__name__ else np.digitize(score, [-0.7, 0.7]), shift


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: type(machine).__name__)
@pytest.mark.parametrize("offset", [1e4, 1e9])
def test_the_machine_is_that_of_columns_close_to_0(machine: Any, offset: float) -> None:
    near, far, y, shift = problem(machine, offset)
    machine = machine.set_params(kernel="linear")
    close, moved = machine.__class__(**machine.get_params()).fit(near[:80], y[:80]), machine.fit(far[:80], y[:80])
    assert moved._center is not None
    assert close._center is None
    assert_allclose(moved.coef_, close.coef_, rtol=1e-5, atol=1e-6)
    assert_allclose(moved.intercept_ + moved.coef_ @ shift, close.intercept_, atol=1e-5)
    assert moved.gap_ < 1e-5 * 120
    assert moved.report_.check((far[:80], y[:80]))
    if "SVR" in type(machine).__name__:
        assert_allclose(moved.predict(far[80:]), close.predict(near[80:]), atol=1e-5)
    else:
        assert (moved.predict(far[80:]) == close.predict(near[80:])).all()


def test_a_saved_machine_knows_the_shift(tmp_path: Any) -> None:
    _, far, y, _ = problem(SVC(), 1e9)
    machine = SVC(kernel="linear").fit(far, y)
    certus.save(machine, tmp_path / "machine.certus")
    assert (certus.load(tmp_path / "machine.certus").decision_function(far) == machine.decision_function(far)).all()


def test_rows_left_out_one_by_one() -> None:
    near, far, y, _ = problem(SVC(), 1e9)
    found = [leave_one_out(SVC(kernel="linear").fit(X[:40], y[:40]), X[:40], y[:40]) for X in (near, far)]
    assert (found[0].predictions == found[1].predictions).all()


@pytest.mark.parametrize("machine", [SVC(fit_intercept=False), OneClassSVM()], ids=["SVC", "OneClassSVM"])
def test_without_an_intercept_nothing_is_shifted(machine: Any) -> None:
    _, far, y, _ = problem(machine, 1e4)
    with pytest.warns(ConvergenceWarning):
        assert machine.set_params(kernel="linear", max_iter=10).fit(far, y)._center is None


def test_a_shift_without_an_intercept_is_refused() -> None:
    _, far, y, _ = problem(SVC(), 1e4)
    certificate = SVC(kernel="linear").fit(far, y).report_["optimality gap"]
    forged = replace(certificate, inputs={**certificate.inputs, "fit_intercept": False})
    with pytest.raises(CertificateError):
        forged.check((far, y))
