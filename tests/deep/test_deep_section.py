"""The section on deep networks of the page about neural networks runs and says what it claims."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tests.docs.test_neural_page import DEEP, PAGE, run_examples


def test_examples_of_the_section() -> None:
    found = run_examples(PAGE.read_text(encoding="utf-8").partition(DEEP)[2])
    assert found.attempted >= 25
    assert found.failed == 0
