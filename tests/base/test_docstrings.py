"""What docstrings inherit: from bases, from the texts of a class, from the texts of all methods."""

from __future__ import annotations

from typing import Any, ClassVar

from certus.base import Transformer, complete_docstrings


class _Sequences(Transformer):
    """Takes sequences."""

    _arguments: ClassVar = {
        "": """
X : list of tables
    Sequences.
""",
        "fit": """
X : list of tables
    Sequences to learn from.
""",
    }

    def fit(self, X: Any, y: Any = None) -> Any:
        """Learn."""

    def transform(self, X: Any) -> Any:
        """Change.

        Returns
        -------
        list
            What was made.
        """


class _Tables(Transformer):
    """Takes tables."""

    def fit(self, X: Any, y: Any) -> Any:
        """Learn."""


class _SparseTables(Transformer):
    """Takes sparse tables too."""

    _takes_sparse = True

    def fit(self, X: Any, y: Any) -> Any:
        """Learn."""


def test_a_method_gets_the_text_of_its_class_for_it_before_that_for_all() -> None:
    complete_docstrings(_Sequences)
    assert "Sequences to learn from." in (_Sequences.fit.__doc__ or "")
    assert "X : list of tables\n    Sequences.\n" in (_Sequences.transform.__doc__ or "")
    assert "What was made." in (_Sequences.transform.__doc__ or "")


def test_a_target_that_may_be_missing_is_not_used() -> None:
    complete_docstrings(_Sequences)
    complete_docstrings(_Tables)
    assert "y : ignored" in (_Sequences.fit.__doc__ or "")
    assert "y : array-like of shape (n_samples,)" in (_Tables.fit.__doc__ or "")


def test_only_learners_that_take_sparse_tables_say_so() -> None:
    complete_docstrings(_Tables)
    complete_docstrings(_SparseTables)
    assert "X : array-like of shape" in (_Tables.fit.__doc__ or "")
    assert "X : {array-like, sparse matrix} of shape" in (_SparseTables.fit.__doc__ or "")
