"""Texts of words that are as frequent as in a language, and how far a table of them is from scikit-learn's."""

from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.measure.task import Data, Quality

_SEED = 0
_LETTERS = np.array(list("eeeeaaatttooiinnsshhrrddlluucmfywgpbvk"))
_MARKS = np.array([" ", " ", " ", " ", " ", " ", " ", " ", ", ", ". "])


def texts(n: int, d: int, length: int) -> Data:
    """``n`` texts of about ``length`` words out of ``d``, the k-th of them with a frequency near 1 / k (Zipf); as the
    bytes of all texts, each ended by a line feed.
    """
    rng = np.random.default_rng(_SEED)
    sizes = rng.integers(2, 12, d)
    words = np.array(["".join(rng.choice(_LETTERS, size)) for size in sizes])
    words = np.where(rng.random(d) < 0.1, np.char.capitalize(words), words)
    frequencies = 1.0 / np.arange(3, d + 3)
    lengths = rng.integers(length // 2, 3 * length // 2, n)
    drawn = words[rng.choice(d, size=lengths.sum(), p=frequencies / frequencies.sum())]
    marked = np.char.add(drawn, _MARKS[rng.integers(0, len(_MARKS), len(drawn))])
    ends = lengths.cumsum()
    whole = "".join("".join(marked[end - size : end]) + "\n" for size, end in zip(lengths, ends, strict=True))
    X = np.frombuffer(whole.encode(), dtype=np.uint8)
    return {"X": X, "y": np.zeros(n), "shape": np.array([n, d])}


def read(X: np.ndarray) -> list[str]:
    """The texts."""
    return X.tobytes().decode().splitlines()


def _difference(model: Any, _prediction: Any, data: Data) -> float:
    reference = getattr(import_module("sklearn.feature_extraction.text"), type(model.vectorizer).__name__)
    theirs = reference(**model.options).fit_transform(read(data["X"]))
    return float(abs(model.table_ - theirs).max())


def difference(wanted: float) -> Quality:
    """Largest difference of an entry of the table from that of scikit-learn."""
    return Quality("largest difference", _difference, wanted=wanted)
