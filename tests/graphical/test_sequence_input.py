"""Bad input gets one clear error that names what was allowed and what came."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

import certus
from certus.graphical import CategoricalHMM, GaussianHMM
from tests.graphical.enumeration import gaussian_model, symbol_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 2))


def model(**parameters):
    return GaussianHMM(2, n_iter=2, tol=0, random_state=0, **parameters)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"lengths": [5, 6]}, r"lengths must add up to the number of rows of X, 12, got lengths with the sum 11"),
        ({"lengths": [12, 0]}, r"lengths must be positive whole numbers"),
        ({"lengths": [6.5, 5.5]}, r"lengths must be positive whole numbers"),
        ({"lengths": []}, r"lengths must be positive whole numbers"),
        ({"y": [6, 6]}, r"one state per row of X \(12\), got the shape \(2,\)\.\nHint: lengths of sequences"),
        ({"y": np.full(12, 2)}, r"y must hold states from 0 to 1, or -1 .* got 2 in row 0"),
        ({"y": np.full(12, -2)}, r"got -2 in row 0"),
        ({"y": np.full(12, 0.5)}, r"got 0.5 in row 0"),
        ({"y": np.zeros((12, 2), dtype=bool)}, r"y must allow a state in every row, got none in row 0"),
        ({"y": np.ones((12, 3), dtype=bool)}, r"truth values of shape \(12, 2\)"),
        ({"y": ["a"] * 12}, r"y must hold states as whole numbers"),
        ({"sample_weight": np.ones(12)}, r"a weight per sequence \(1\), got the shape \(12,\)"),
        ({"sample_weight": [-1.0]}, r"sample_weight must be finite numbers that are not negative"),
        ({"sample_weight": [0.0]}, r"not all 0"),
    ],
)
def test_what_goes_with_the_rows(given, message):
    with pytest.raises(ValueError, match=message):
        model().fit(X, **given)


def test_lists_and_streams():
    with pytest.raises(ValueError, match=r"lengths must be None for a list of sequences"):
        model().fit([X, X], lengths=[12, 12])
    with pytest.raises(ValueError, match=r"lengths must be None for a stream"):
        model().fit(lambda: iter([X]), lengths=[12])
    with pytest.raises(ValueError, match=r"shape \(rows, 2\), got the shape \(12, 1\) for sequence 1"):
        model().fit([X, X[:, :1]])
    with pytest.raises(ValueError, match=r"shape \(0, 2\) for sequence 1"):
        model().fit([X, X[:0]])
    with pytest.raises(ValueError, match=r"at least one sequence, got an empty stream"):
        model().fit(lambda: iter([]))
    with pytest.raises(ValueError, match=r"states of as many sequences as X"):
        model().fit(lambda: iter([X, X]), y=lambda: iter([np.zeros(12, dtype=int)]))
    with pytest.raises(ValueError, match=r"y must hold the states of 2 sequences, got 1"):
        model().fit([X, X], y=[np.zeros(12, dtype=int)])
    with pytest.raises(ValueError, match=r"a weight per sequence \(2\), got the shape \(3,\)"):
        model().fit(lambda: iter([X, X]), sample_weight=np.ones(3))


def test_sequences_of_symbols_as_lists_of_different_lengths():
    X = [[0, 1, 1], (1, 0), np.array([1])]
    model = CategoricalHMM(2, random_state=0).fit(X)
    assert model.score(X) == model.score([0, 1, 1, 1, 0, 1], lengths=[3, 2, 1])
    with pytest.raises(ValueError, match="1 features"):
        model.score([[0, 1], [1, 0]])  # a table of two columns, or two sequences: nobody knows


def test_numbers_whose_squares_overflow():
    with pytest.raises(ValueError, match="allows magnitudes up to"):
        GaussianHMM(1).fit([[1e200], [2e200]])


def test_steps_ahead():
    tracker = CategoricalHMM(1, random_state=0).fit([0, 1]).tracker()
    for steps in (-1, 0.5, "1"):
        with pytest.raises(ValueError, match="steps must be"):
            tracker.forecast(steps)


def test_values():
    broken = X.copy()
    broken[3, 1] = np.inf
    with pytest.raises(ValueError, match="row 3, column 1"):
        model().fit(broken)
    fitted = model().fit(X)
    with pytest.raises(ValueError, match="X has 1 features, but GaussianHMM is expecting 2 features"):
        fitted.predict(X[:, :1])
    with pytest.raises(ValueError, match="could not convert"):
        model().fit([["a", "b"], ["c", "d"]])
    with pytest.raises(NotFittedError):
        model().predict(X)


@pytest.mark.parametrize("rows", [[0, 1, 4], [0, -1, 1], [0, 0.5, 1]])
def test_symbols_out_of_range(rows):
    asked = symbol_model(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"X must hold symbols from 0 to 3 as whole numbers, got .* in row [12]"):
        asked.predict(rows)
    with pytest.raises(ValueError, match=r"X must hold symbols from 0 to"):
        CategoricalHMM(2, n_features=4).fit(np.array(rows)[:, None])
    with pytest.raises(ValueError, match=r"one column of symbols, got 2 columns"):
        CategoricalHMM(2).fit(np.zeros((4, 2)))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("startprob_", [0.5, 0.4], r"startprob_ must sum to 1, got a sum of 0.9"),
        ("startprob_", [0.5, 0.25, 0.25], r"startprob_ must have the shape \(2,\)"),
        ("startprob_", [1.5, -0.5], r"startprob_ must hold probabilities"),
        ("transmat_", [[0.5, 0.5], [0.5, 0.6]], r"transmat_ must sum to 1 in every row, got a sum of 1.1 in row 1"),
        ("transmat_", [[np.nan, 0.5], [0.5, 0.5]], r"transmat_ must hold probabilities"),
        ("means_", [[0.0, 0.0]], r"means_ must be finite and have a row for each of 2 states"),
        ("means_", [[0.0, np.inf], [0.0, 0.0]], r"means_ must be finite"),
    ],
)
def test_parameters_set_by_hand(name, value, message):
    asked = gaussian_model(np.random.default_rng(0), states=2)
    setattr(asked, name, value)
    with pytest.raises(ValueError, match=message):
        asked.score(X)


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (
            "full",
            [[[1.0, 2.0], [2.0, 1.0]]] * 2,
            r"must be positive definite, got the eigenvalue -1 in component 0",
        ),
        ("full", [[[1.0, 0.5], [0.0, 1.0]]] * 2, r"covars_ must be symmetric"),
        ("tied", [[1.0, 2.0], [2.0, 1.0]], r"covars_ must be positive definite"),
        ("diag", [[1.0, 0.0], [1.0, 1.0]], r"covars_ must hold positive variances, got 0"),
        ("diag", [1.0, 1.0], r"covars_ must have the shape \(2, 2\)"),
        ("spherical", [1.0, -1.0], r"covars_ must hold positive variances"),
        ("full", [[[1.0, np.nan], [0.0, 1.0]]] * 2, r"covars_ must be finite"),
    ],
)
def test_covariances_set_by_hand(kind, value, message):
    asked = gaussian_model(np.random.default_rng(0), kind, states=2)
    with pytest.raises(ValueError, match=message):
        asked.covars_ = value


def test_parameters_that_are_not_set_are_named():
    asked = GaussianHMM(2)
    asked.startprob_ = [0.5, 0.5]
    with pytest.raises(ValueError, match=r"transmat_ must be set, or learned by fit"):
        asked.score(X)
    assert not hasattr(asked, "covars_")


def test_parameters_of_the_constructor():
    for name in GaussianHMM._constraints:
        with pytest.raises((ValueError, TypeError), match=f"'{name}' parameter of GaussianHMM"):
            model().set_params(**{name: object()}).fit(X)
    with pytest.raises(ValueError, match=r"a str of letters among 'stmc'. Got 'x' instead"):
        model(params="x").fit(X)
    with pytest.raises(ValueError, match=r"means_prior must fit the shape \(2, 2\)"):
        model(means_prior=[1.0, 2.0, 3.0]).fit(X)
    with pytest.raises(ValueError, match=r"algorithm must be 'viterbi' or 'map', got 'best'"):
        model().fit(X).decode(X, algorithm="best")


def test_frames_and_float32_are_read():
    fitted = model().fit(pd.DataFrame(X, columns=["a", "b"]))
    assert_array_equal(fitted.feature_names_in_, ["a", "b"])
    assert fitted.predict(pd.DataFrame(X, columns=["a", "b"])).shape == (12,)
    assert np.isfinite(model().fit(X.astype(np.float32)).score(X.astype(np.float32)))
    assert CategoricalHMM(2, n_iter=1, tol=0).fit([0, 1, 2, 1]).emissionprob_.shape == (2, 3)


def test_a_stream_keeps_its_width(monkeypatch):
    monkeypatch.setattr("certus.graphical.sequences.sequence_input.BATCH", 5)
    with pytest.raises(ValueError, match="X has 1 features, but GaussianHMM is expecting 2 features"):
        model().fit(lambda: iter([X, X[:, :1]]))
    by_hand = model(init_params="")
    by_hand.startprob_, by_hand.transmat_ = [0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]]
    by_hand.means_, by_hand.covars_ = np.zeros((2, 3)), np.ones((2, 3))
    with pytest.raises(ValueError, match="means_ must have 2 columns, as X has, got 3"):
        by_hand.fit(lambda: iter([X, X]))


def test_a_model_set_by_hand_may_be_set_again():
    asked = gaussian_model(np.random.default_rng(0), "diag", states=2)
    assert asked.predict(X).shape == (12,)
    asked.means_, asked.covars_ = np.zeros((2, 1)), np.ones((2, 1))
    assert asked.predict(X[:, :1]).shape == (12,)
    with pytest.raises(ValueError, match="X has 2 features, but GaussianHMM is expecting 1 features"):
        asked.predict(X)


def test_an_unfitted_model_is_saved(tmp_path):
    certus.save(model(), tmp_path / "model.certus")
    assert certus.load(tmp_path / "model.certus").fit(X).predict(X).shape == (12,)
