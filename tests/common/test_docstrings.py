"""Docstrings that are put together from shared pieces are complete: every parameter of every learner and method."""

import inspect
import re

import pytest

from certus.base import Regressor, register
from certus.base.catalogue import _entries as catalogue_entries
from certus.base.catalogue import entries
from certus.base.docstrings import _entries, _sections

LEARNERS = {entry.name: entry.learner for entry in entries()}
OF_TABLES = {entry.learner for entry in entries() if entry.takes == "tables"}


def documented(text, section="Parameters"):
    return _entries(_sections(text).get(section, ""))


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_every_constructor_parameter_is_documented_in_the_order_of_the_signature(learner):
    names = list(inspect.signature(learner).parameters)
    assert list(documented(learner.__doc__)) == names


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_documented_defaults_are_those_of_the_signature(learner):
    entries = documented(learner.__doc__)
    for name, parameter in inspect.signature(learner).parameters.items():
        head = entries[name].partition("\n")[0]
        given = re.search(r"default=(.*)$", head)
        if given and "," not in head.partition(" :")[0]:
            assert eval(given[1]) == parameter.default, f"{learner.__name__}: {head}"


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_what_every_fitted_learner_has_is_documented(learner):
    attributes = documented(learner.__doc__, "Attributes")
    assert {"n_features_in_", "feature_names_in_"} <= set(attributes) or learner not in OF_TABLES
    assert list(attributes)[-1] == "report_"


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_every_argument_of_every_public_method_is_documented(learner):
    for name, method in inspect.getmembers(learner, inspect.isfunction):
        if name.startswith("_") or not method.__module__.startswith("certus."):
            continue
        assert method.__doc__, name
        missing = set(inspect.signature(method).parameters) - set(documented(method.__doc__)) - {"self"}
        assert not missing, f"{learner.__name__}.{name}: {missing}"


class Base(Regressor):
    """A base.

    Parameters
    ----------
    first : int
        The first.
    second : {"a", "b"}
        The second.

    Attributes
    ----------
    depth_ : int
        How deep.
    """

    def predict(self, X):
        """Say something else."""


def test_what_a_base_documents_its_heir_inherits_and_may_say_otherwise():
    class Heir(Base):
        """An heir.

        Parameters
        ----------
        second : str
            Another text.

        Examples
        --------
        None.
        """

        def __init__(self, second="a", *, first=3):
            self.second = second
            self.first = first

        def fit(self, X, y=None, sample_weight=None):
            return self

        def predict(self, X):
            return X

    register(family="tests", tasks=("regression",), guarantees=(), cost="none")(Heir)
    del catalogue_entries["certus.tests.Heir"]
    assert Heir.__doc__.startswith(
        'An heir.\n\nParameters\n----------\nsecond : str, default="a"\n    Another text.\n'
        "first : int, default=3\n    The first.\n\nAttributes\n----------\ndepth_ : int\n"
    )
    assert Heir.__doc__.endswith("\n\nExamples\n--------\nNone.\n")
    assert list(documented(Heir.fit.__doc__)) == ["X", "y", "sample_weight"]
    assert Heir.predict.__doc__.startswith("Say something else.\n\nParameters\n----------\nX : ")
    assert "Returns\n-------\nndarray" in Heir.predict.__doc__
