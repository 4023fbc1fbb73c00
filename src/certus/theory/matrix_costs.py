"""What matrices cost: time by size, and its slope between logarithms beside the exponent of the theory."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from certus.base import blas_on_one_thread
from certus.guarantees.records import check_count
from certus.theory.text import aligned

OPERATIONS: dict[str, tuple[float, Callable[[np.ndarray, np.ndarray], object]]] = {
    "matrix times vector": (2.0, lambda A, b: A @ b),
    "one power iteration": (2.0, lambda A, b: (c := A @ b) / np.linalg.norm(c)),
    "matrix times matrix": (3.0, lambda A, _: A @ A),
    "inverse": (3.0, lambda A, _: np.linalg.inv(A)),
    "all eigenvectors": (3.0, lambda A, _: np.linalg.eigh(A)),
}
LONG = 0.002  # seconds that a timing lasts at least


@dataclass(frozen=True)
class MatrixCosts:
    """Seconds of matrix operations.

    Parameters
    ----------
    sizes : tuple of int
        Numbers of rows and columns.
    exponents : dict
        The theory's exponent for every operation: time grows like size^exponent.
    seconds : dict
        Seconds of every operation for every size.
    """

    sizes: tuple[int, ...]
    exponents: dict[str, float]
    seconds: dict[str, tuple[float, ...]]

    @property
    def slopes(self) -> dict[str, float]:
        """Slopes of ln(seconds) by ln(size), by least squares; below the exponent while sizes are small."""
        logs = np.log(self.sizes)
        return {name: float(np.polyfit(logs, np.log(times), 1)[0]) for name, times in self.seconds.items()}

    def __str__(self) -> str:
        head = ["", *(str(size) for size in self.sizes), "slope", "theory"]
        slopes = self.slopes
        rows = [[name, *times, slopes[name], self.exponents[name]] for name, times in self.seconds.items()]
        return aligned(head, rows)


def matrix_costs(sizes: Sequence[int] = (200, 400, 800), *, repeats: int = 3, seed: int = 0) -> MatrixCosts:
    """Time operations on random symmetric matrices, on one thread.

    Parameters
    ----------
    sizes : sequence of int, default=(200, 400, 800)
        Numbers of rows and columns, two different ones at least.
    repeats : int, default=3
        How often every timing is repeated; the fastest counts.
    seed : int, default=0
        Of the matrices.

    Examples
    --------
    >>> from certus.theory import matrix_costs
    >>> costs = matrix_costs((20, 40))
    >>> costs.exponents["inverse"], len(costs.seconds["inverse"])
    (3.0, 2)
    """
    asked = tuple(check_count(size, "sizes", minimum=1) for size in sizes)
    if len(set(asked)) < 2:
        raise ValueError(f"sizes must hold two different numbers at least, got {list(sizes)}.")
    again, rng = check_count(repeats, "repeats", minimum=1), np.random.default_rng(seed)
    tables = []
    for size in asked:
        matrix = rng.normal(size=(size, size))
        tables.append((matrix + matrix.T, rng.normal(size=size)))
    with blas_on_one_thread():
        seconds = {
            name: tuple(min(_seconds(run, *table) for _ in range(again)) for table in tables)
            for name, (_, run) in OPERATIONS.items()
        }
    return MatrixCosts(asked, {name: exponent for name, (exponent, _) in OPERATIONS.items()}, seconds)


def _seconds(run: Callable[[np.ndarray, np.ndarray], object], matrix: np.ndarray, vector: np.ndarray) -> float:
    count, started = 0, time.process_time()
    while True:
        run(matrix, vector)
        count += 1
        taken = time.process_time() - started
        if taken > LONG:
            return taken / count
