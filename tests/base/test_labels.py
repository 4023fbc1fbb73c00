"""Labels as positions among the distinct ones, whatever whole numbers, words or truth values they are."""

import numpy as np
import pytest

from certus.base import distinct_labels

SMALL = np.random.default_rng(0).integers(-3, 4, 500)


@pytest.mark.parametrize(
    "y",
    [
        SMALL,
        SMALL * 7,
        SMALL * 10**6,
        SMALL.astype(np.int8),
        (SMALL + 250).astype(np.uint8),
        np.repeat(np.array([0, 2**64 - 1], dtype=np.uint64), 300),
        np.repeat(np.array([-(2**63), 2**63 - 1]), 300),
        np.full(5, 3),
        SMALL > 0,
        SMALL.astype(str),
        SMALL.astype(np.float64),
    ],
    ids=lambda y: f"{y.dtype}-{len(np.unique(y))}",
)
def test_labels_and_codes_are_those_of_numpy(y: np.ndarray) -> None:
    labels, codes = distinct_labels(y)
    expected, places = np.unique(y, return_inverse=True)
    assert labels.dtype == y.dtype
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(codes, places)


def test_numbers_that_nearly_all_differ_are_suspicious() -> None:
    with pytest.warns(UserWarning, match="greater than 50%"):
        distinct_labels(np.arange(100))
