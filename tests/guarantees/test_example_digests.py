"""Examples that are no rows of a table are told apart by what they hold, not by its form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from certus.guarantees.rows import example_digests, fingerprint, table_hashes

A = np.array([[0.0, 1.5, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, -0.0]])
FORMS: dict[str, Any] = {
    "csr": sparse.csr_array(A),
    "csc": sparse.csc_matrix(A),
    "coo": sparse.coo_array(A),
    "lil": sparse.lil_array(A),
    "single precision": A.astype(np.float32),
    "columns first": np.asfortranarray(A),
    "added up, with a stored zero": sparse.coo_array(
        ([1.0, 0.5, 2.0, 0.0], ([0, 0, 1, 2], [1, 1, 0, 2])), shape=(3, 3)
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_a_matrix_are_one_example(form: str) -> None:
    ours, theirs = example_digests([(A, [1, "a"]), (FORMS[form], [1, "a"])])
    np.testing.assert_array_equal(ours, theirs)


def test_different_examples_differ() -> None:
    others = [(A,), (A.T,), A, [A, A], [[]], [], [""], [0], 0, "0", np.zeros((0, 2)), np.zeros((2, 0)), np.zeros(3)]
    digests = example_digests([*others, ["ab", "c"], ["a", "bc"], [["a"], "b"], [["a", "b"]], float("nan"), None])
    assert len({tuple(row) for row in digests.tolist()}) == len(digests)


def test_sets_of_examples_have_fingerprints() -> None:
    graphs = [(A, np.ones((3, 2))), (np.eye(4), np.ones((4, 2))), (np.eye(2), np.ones((2, 2)))]
    y = [0, 1, 1]
    found = fingerprint(table_hashes(graphs, y))
    assert found == fingerprint(table_hashes(graphs[::-1], y[::-1]))
    assert found == fingerprint(table_hashes([(sparse.csr_array(first), second) for first, second in graphs], y))
    assert found != fingerprint(table_hashes(graphs, [1, 1, 0]))
    assert found != fingerprint(table_hashes(graphs[:2], y[:2]))


def test_tables_stay_tables() -> None:
    rows = [[1.0, 2.0], [3.0, 4.0]]
    expected = table_hashes(np.array(rows))
    for given in (
        rows,
        list(map(tuple, rows)),
        [np.array(row) for row in rows],
        [[np.array(x) for x in r] for r in rows],
    ):
        np.testing.assert_array_equal(table_hashes(given), expected)
