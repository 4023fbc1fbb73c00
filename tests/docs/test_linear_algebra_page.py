"""The page about linear algebra: its examples run."""

import doctest
from pathlib import Path

import numpy as np
from numpy.testing import assert_allclose

from docs.pages.eigenbasis import MATRIX, PICTURE, drawn, scaled

PAGE = Path(__file__).parents[2] / "docs" / "linear-algebra.md"


def test_examples_of_the_page_run() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted > 30
    assert found.failed == 0


def test_scaling_in_the_eigenbasis_is_the_map_and_can_be_drawn() -> None:
    vectors = np.random.default_rng(0).normal(size=(20, 2))
    assert_allclose(scaled(MATRIX, vectors), vectors @ MATRIX, atol=1e-12)
    assert PICTURE.exists()
    assert PICTURE.name in PAGE.read_text(encoding="utf-8")
    assert len(drawn().axes) == 1
