"""Certificates of hidden Markov models hold, are derived again from rows, and fail when changed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import certus
from certus.graphical import CategoricalHMM, GaussianHMM
from certus.guarantees import CertificateError
from tests.graphical.enumeration import Enumerated, gaussian_model, symbol_densities, symbol_model

ASCENT = "largest fall of the likelihood in a round"
PATH = "log-probability by which a path could beat the decoded one"


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(12, 2)), 4, axis=0) + 0.5 * rng.normal(size=(48, 2))
    X[3, 1] = np.nan
    return GaussianHMM(2, "full", n_iter=8, tol=0, random_state=0).fit(X, lengths=[20, 28]), (X, [20, 28])


def test_both_are_in_the_report_and_check_with_and_without_rows(fitted):
    model, data = fitted
    assert {str(certificate.quantity) for certificate in model.report_} == {ASCENT, PATH}
    for certificate in model.report_:
        assert certificate.check()
        assert certificate.check(data)
        assert certus.Certificate.from_json(certificate.to_json()) == certificate
        assert certificate.kind == "exact"
        assert certificate.value < 1e-6


def test_other_rows_do_not_agree(fitted):
    model, (X, lengths) = fitted
    for certificate in model.report_:
        with pytest.raises(CertificateError):
            certificate.check((X + 0.01, lengths))
        with pytest.raises(CertificateError):
            certificate.check((X, [48]))


@pytest.mark.parametrize("quantity", [ASCENT, PATH])
def test_a_smaller_bound_is_refused(fitted, quantity):
    certificate = fitted[0].report_[quantity]
    with pytest.raises(CertificateError):
        dataclasses.replace(certificate, value=certificate.value / 2).check()


def test_a_history_that_falls_is_a_large_value(fitted):
    certificate = fitted[0].report_[ASCENT]
    history = list(certificate.witness["history"])
    history[-1] = history[0] - 1.0
    with pytest.raises(CertificateError):
        dataclasses.replace(certificate, witness={**certificate.witness, "history": history}).check()


def test_a_worse_path_has_a_larger_value(fitted):
    certificate = fitted[0].report_[PATH]
    witness = {**certificate.witness, "path": certificate.witness["path"] - 0.1}
    with pytest.raises(CertificateError):
        dataclasses.replace(certificate, witness=witness).check()


@pytest.mark.parametrize("seed", range(10))
def test_no_path_of_all_beats_the_certified_one(seed):
    rng = np.random.default_rng(seed)
    model = symbol_model(rng, zeros=seed % 2 == 1)
    X = rng.integers(0, 4, 6)
    certificate = model.path_report(X)[PATH]
    truth = Enumerated(model.startprob_, model.transmat_, symbol_densities(model, X))
    assert truth.best[1] <= model.decode(X)[0] + certificate.value
    assert certificate.value < 1e-12
    assert certificate.check(X)


def test_a_prior_without_a_highest_value_promises_no_ascent():
    model = CategoricalHMM(2, n_iter=3, tol=0, random_state=0, transmat_prior=0.5).fit(np.arange(30) % 4)
    assert [str(certificate.quantity) for certificate in model.report_] == [PATH]


def test_save_and_load(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    for kind in ("spherical", "diag", "full", "tied"):
        model = GaussianHMM(2, kind, n_iter=3, tol=0, random_state=0).fit(X)
        certus.save(model, tmp_path / "model.certus")
        again = certus.load(tmp_path / "model.certus")
        assert_array_equal(model.predict_proba(X), again.predict_proba(X))
        assert_array_equal(model.covars_, again.covars_)
        assert again.monitor_.history == model.monitor_.history
        assert again.report_ == model.report_
    by_hand = gaussian_model(rng)
    certus.save(by_hand, tmp_path / "hand.certus")
    assert_array_equal(certus.load(tmp_path / "hand.certus").predict(X), by_hand.predict(X))


def test_an_interrupted_fit_leaves_nothing(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    model = GaussianHMM(2, n_iter=3, random_state=0)
    monkeypatch.setattr(GaussianHMM, "_update_emissions", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(np.random.default_rng(0).normal(size=(30, 2)))
    assert not [name for name in vars(model) if name.endswith("_") and name not in ("_floors",)]
