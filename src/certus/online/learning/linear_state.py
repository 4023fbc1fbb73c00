"""The arrays that an online linear learner keeps, and how they grow with new columns and new labels."""

from __future__ import annotations

import numpy as np

from certus.base import register_part
from certus.base.persistence import check_shapes
from certus.online._native_calls.stream_kernels import NUMBER, NUMBERS, RULES, Array

FEWEST = 16  # columns for which there is room at first, if their names are met along the stream


@register_part("online")
class LinearState:
    """Vectors and numbers of every problem; the last entry of a vector belongs to the constant.

    Parameters
    ----------
    rule : str
        How it is learned.
    columns : int
        Columns for which there is room.
    penalty : float, default=1.0
        What the diagonal of the matrix begins with, if there is one.

    Attributes
    ----------
    vectors : ndarray of shape (n_problems * n_fields, columns + 1)
    numbers : ndarray of shape (n_problems, n_numbers)
    matrix : ndarray of shape (n_problems * (columns + 1), columns + 1) or (0, columns + 1)
        Upper triangular factors R of the matrices R'R.
    """

    _state = ("rule", "vectors", "numbers", "matrix", "penalty")

    rule: str
    vectors: Array
    numbers: Array
    matrix: Array

    def __init__(self, rule: str, columns: int, penalty: float = 1.0) -> None:
        self.rule, self.penalty = rule, penalty
        self.vectors = self._fresh(columns + 1)
        self.numbers = self._fresh_numbers()
        self.matrix = self._fresh_matrix(columns + 1)

    @staticmethod
    def _fresh_numbers() -> Array:
        numbers = np.zeros((1, len(NUMBERS)))
        numbers[0, NUMBER["unit"]] = numbers[0, NUMBER["since"]] = 1.0
        return numbers

    def _fresh_matrix(self, width: int) -> Array:
        return np.eye(width if RULES[self.rule].matrix else 0, width) * np.sqrt(self.penalty)

    def _fresh(self, width: int) -> Array:
        return np.repeat(np.array(RULES[self.rule].start)[:, None], width, axis=1)

    @property
    def fields(self) -> int:
        """Vectors per problem."""
        return len(RULES[self.rule].start)

    @property
    def columns(self) -> int:
        """Columns for which there is room."""
        return self.vectors.shape[1] - 1

    @property
    def problems(self) -> int:
        """How many problems there are."""
        return len(self.numbers)

    def vector(self, field: int) -> Array:
        """One vector of every problem."""
        return self.vectors[field :: self.fields]

    def number(self, name: str) -> Array:
        """One number of every problem."""
        return self.numbers[:, NUMBER[name]]

    def widen(self, columns: int) -> None:
        """Make room for so many columns."""
        wider = np.tile(self._fresh(columns + 1), (self.problems, 1))
        kept = self.columns
        wider[:, :kept], wider[:, -1] = self.vectors[:, :-1], self.vectors[:, -1]
        self.vectors = wider
        if not RULES[self.rule].matrix:
            self.matrix = self._fresh_matrix(columns + 1)
            return
        places = np.append(np.arange(kept), columns)
        blocks = []
        for before in np.split(self.matrix, self.problems):
            blocks.append(self._fresh_matrix(columns + 1))
            blocks[-1][np.ix_(places, places)] = before
        self.matrix = np.vstack(blocks)

    def flip(self) -> None:
        """Let the two labels change places."""
        for field in RULES[self.rule].odd:
            self.vectors[field :: self.fields] *= -1.0

    def split(self) -> None:
        """Two classes, so far one problem, as one problem each: the other's is its mirror image."""
        second_vectors, second_numbers = self.vectors.copy(), self.numbers.copy()
        self.flip()
        second_numbers[:, NUMBER["mistakes"]] = 0.0
        self.vectors = np.vstack([self.vectors, second_vectors])
        self.numbers = np.vstack([self.numbers, second_numbers])
        self.matrix = np.vstack([self.matrix, self.matrix])

    def add_problem(self, place: int) -> None:
        """A new class, in this place among the others; it has no trial behind it but their number."""
        fresh = self._fresh(self.columns + 1)
        if self.rule == "adaptive":
            fresh[1] = self.vectors[1]  # the limits, which depend on rows only
        numbers = self._fresh_numbers()
        numbers[0, NUMBER["trials"]] = self.numbers[0, NUMBER["trials"]]
        mistakes = self.numbers[0, NUMBER["mistakes"]]
        self.vectors = np.insert(self.vectors, place * self.fields, fresh, axis=0)
        self.numbers = np.insert(self.numbers, place, numbers, axis=0)
        factor = self._fresh_matrix(self.columns + 1)
        self.matrix = np.insert(self.matrix, [place * len(factor)] * len(factor), factor, axis=0)
        self.numbers[:, NUMBER["mistakes"]] = 0.0
        self.numbers[0, NUMBER["mistakes"]] = mistakes

    def own(self) -> None:
        """Have arrays that may be changed; those of a model in shared memory may not."""
        for name in ("vectors", "numbers", "matrix"):
            array = getattr(self, name)
            if type(array) is not np.ndarray or not (array.flags.writeable and array.flags.c_contiguous):
                setattr(self, name, np.array(array, dtype=np.float64, order="C"))

    def _restored(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"rule {self.rule!r} is unknown.")
        check_shapes(self, vectors=(None, None), numbers=(None, len(NUMBERS)))
        width = self.vectors.shape[1]
        if width < 1 or self.problems < 1 or len(self.vectors) != self.problems * self.fields:
            raise ValueError("vectors and numbers do not fit together.")
        check_shapes(self, matrix=(self.problems * width if RULES[self.rule].matrix else 0, width))
        if any(getattr(self, name).dtype != np.float64 for name in ("vectors", "numbers", "matrix")):
            raise ValueError("vectors, numbers and matrix must hold doubles.")
