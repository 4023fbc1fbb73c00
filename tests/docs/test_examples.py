"""The examples in docstrings run and say what they claim."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import certus

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(certus.__path__, "certus.")
    if not module.name.endswith(("._native", ".__main__"))
    and not module.name.startswith("certus.neural.deep")  # tests/deep runs those, which need torch
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    module = importlib.import_module(name)
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert found.failed == 0
