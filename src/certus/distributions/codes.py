"""Codes for symbols with known probabilities."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from certus.distributions.probability_input import Floats, probabilities


def code_lengths(p: Any, base: float = 2) -> Floats:
    """``-log p``: the best length of each symbol's code in bits, infinite for impossible symbols.

    Whole lengths can reach it only if all probabilities are powers of the base; the mean length of the best whole ones
    (`huffman_code`) is less than 1 above the entropy.
    """
    if not base > 1:
        raise ValueError(f"base must be a number above 1, got {base!r}.")
    with np.errstate(divide="ignore"):
        lengths: Floats = -np.log(probabilities(p, "p")) / np.log(base) + 0.0
    return lengths


def huffman_code(p: Any) -> list[str]:
    """Code words of 0 and 1, none the beginning of another, with the smallest mean length (Huffman 1952).

    The two least probable symbols become one, until one is left; ties are settled by position, so that the code is the
    same everywhere.

    Parameters
    ----------
    p : array-like of shape (n_symbols,)
        Their probabilities.

    Returns
    -------
    list of str
        A word per symbol; a single symbol gets ``"0"``.

    Examples
    --------
    >>> from certus.distributions import huffman_code
    >>> huffman_code([0.5, 0.25, 0.25])
    ['0', '10', '11']
    """
    weights = probabilities(p, "p")
    if weights.ndim != 1:
        raise ValueError(f"p must have one axis, got shape {weights.shape}.")
    if len(weights) == 1:
        return ["0"]
    words = [""] * len(weights)
    heap = [(float(weight), place, [place]) for place, weight in enumerate(weights)]
    heapq.heapify(heap)
    while len(heap) > 1:
        merged = [heapq.heappop(heap), heapq.heappop(heap)]
        merged.sort(key=lambda node: min(node[2]))
        for digit, node in zip("01", merged, strict=True):
            for symbol in node[2]:
                words[symbol] = digit + words[symbol]
        symbols = merged[0][2] + merged[1][2]
        heapq.heappush(heap, (merged[0][0] + merged[1][0], min(symbols), symbols))
    return words
