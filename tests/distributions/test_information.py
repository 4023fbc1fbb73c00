"""Entropy, divergence, mutual information and codes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from certus.distributions import (
    Factor,
    code_lengths,
    conditional_entropy,
    cross_entropy,
    entropy,
    huffman_code,
    kl_divergence,
    mutual_information,
)

tables = st.integers(0, 10**6).map(lambda seed: np.random.default_rng(seed).dirichlet(np.ones(12)).reshape(3, 4))


def test_worked_numbers() -> None:
    assert kl_divergence([0.3, 0.7], [0.45, 0.55], base=math.e) == pytest.approx(0.0471739, abs=5e-8)
    assert entropy([1 / 6] * 6) == pytest.approx(math.log2(6))
    assert entropy([1.0, 0.0]) == 0.0
    assert entropy([0.5, 0.5], base=math.e) == pytest.approx(math.log(2))


@settings(max_examples=30, deadline=None)
@given(tables, tables)
def test_identities(joint: np.ndarray, other: np.ndarray) -> None:
    p, q = joint.ravel(), other.ravel()
    assert kl_divergence(p, q) == pytest.approx(cross_entropy(p, q) - entropy(p))
    assert kl_divergence(p, q) >= 0
    assert kl_divergence(p, p) == 0
    v, w = joint.sum(axis=1), joint.sum(axis=0)
    assert conditional_entropy(joint) == pytest.approx(-(joint * np.log2(joint / v[:, None])).sum())
    assert mutual_information(joint) == pytest.approx(entropy(w) - conditional_entropy(joint))
    assert mutual_information(joint) == pytest.approx(mutual_information(joint.T))
    assert mutual_information(joint) == pytest.approx(kl_divergence(joint, np.outer(v, w)))


def test_mutual_information_is_that_of_counted_labels() -> None:
    generator = np.random.default_rng(0)
    a = generator.integers(0, 3, 200)
    b = (a + generator.integers(0, 2, 200)) % 3
    table = np.zeros((3, 3))
    np.add.at(table, (a, b), 1 / 200)
    assert mutual_information(table, base=math.e) == pytest.approx(mutual_info_score(a, b))


def test_divergence_is_infinite_where_the_code_excludes_what_happens() -> None:
    assert kl_divergence([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert cross_entropy([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert kl_divergence([1.0, 0.0], [0.5, 0.5]) == 1.0
    assert code_lengths([1.0, 0.0]).tolist() == [0.0, math.inf]


def test_factors_are_aligned_by_name() -> None:
    p = Factor({"a": [0, 1], "b": "xy"}, [0.1, 0.2, 0.3, 0.4])
    q = Factor({"b": "yx", "a": [0, 1]}, [0.2, 0.4, 0.1, 0.3])  # the same distribution
    assert kl_divergence(p, q) == pytest.approx(0, abs=1e-15)
    assert conditional_entropy(p) == pytest.approx(entropy(p) - entropy(p.marginal("a")))


def test_code_lengths_of_dyadic_probabilities_are_those_of_the_code() -> None:
    p = [0.5, 0.25, 0.125, 0.125]
    assert code_lengths(p).tolist() == [1, 2, 3, 3] == [len(word) for word in huffman_code(p)]
    assert np.dot(p, code_lengths(p)) == entropy(p)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6))
def test_huffman_codes_are_decodable_and_best(seed: int, symbols: int) -> None:
    p = np.random.default_rng(seed).dirichlet(np.ones(symbols))
    words = huffman_code(p)
    assert not any(a != b and b.startswith(a) for a in words for b in words)
    mean = float(np.dot(p, [len(word) for word in words]))
    assert entropy(p) - 1e-12 <= mean < entropy(p) + 1
    # No lengths that a prefix code can have (Kraft's inequality) are better.
    lengths = itertools.product(range(1, symbols), repeat=symbols)
    assert mean <= min(np.dot(p, each) for each in lengths if sum(2.0**-n for n in each) <= 1) + 1e-12


def test_huffman_code_of_one_symbol_and_with_impossible_ones() -> None:
    assert huffman_code([1.0]) == ["0"]
    assert sorted(map(len, huffman_code([1.0, 0.0, 0.0]))) == [1, 2, 2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: entropy([0.5, 0.6]), "p must sum to 1, got a sum of 1.1"),
        (lambda: entropy([1.5, -0.5]), "p must not be negative"),
        (lambda: entropy([0.5, 0.5], base=1), "base must be a number above 1"),
        (lambda: kl_divergence([0.5, 0.5], [1.0]), "same shape"),
        (lambda: mutual_information([0.5, 0.5]), "two axes"),
        (lambda: huffman_code([[0.5, 0.5]]), "one axis"),
        (lambda: entropy(["a", "b"]), "p must hold numbers"),
    ],
)
def test_bad_input(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
