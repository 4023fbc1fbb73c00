"""Which search is cheapest: a model of nanoseconds per query, from measurements on one AVX2 core.

Plain comparison of all pairs, matrix products, and the kd-tree give equal results, so these numbers decide
about speed only. The share of points that a tree has to look at depends on the data (on their intrinsic
dimension), so it is counted on a few queries, not guessed from the number of columns.
"""

from __future__ import annotations

_MOST_TREE_COLUMNS = 20  # in more columns a tree seldom helps, and building it is not free
_LEAST_TREE_ROWS = 2000
MOST_INDEXED_ROWS = 2**31 - 1  # trees and product filters number rows with 32 bits
_LEAST_PRODUCT_QUERIES = 32  # below, packing the rows for a matrix product costs more than it saves


def tree_is_worth_trying(rows: int, columns: int) -> bool:
    """Whether to build a tree and see how it does."""
    return columns <= _MOST_TREE_COLUMNS and _LEAST_TREE_ROWS <= rows <= MOST_INDEXED_ROWS


def tree_pays(compared: float, rows: int, columns: int, *, products: bool) -> bool:
    """Whether a tree that compares a query with this many points beats brute force."""
    tree = 1500 + compared * (2.5 + columns)
    brute = _products(rows, columns) if products else _scan(rows, columns)
    return tree < brute


def products_pay(queries: int, rows: int, columns: int, k: int) -> bool:
    """Whether matrix products beat the comparison of all pairs."""
    enough = queries >= _LEAST_PRODUCT_QUERIES and k <= rows // 8 and rows <= MOST_INDEXED_ROWS
    return enough and _products(rows, columns) < _scan(rows, columns)


def threads_pay(queries: int, cells: int) -> bool:
    """Whether a search through a table of so many cells is worth several threads."""
    return queries > 16 and queries * cells > 1_000_000


def _products(rows: int, columns: int) -> float:
    return 3000 + rows * (0.45 + 0.05 * columns)


def _scan(rows: int, columns: int) -> float:
    return rows * (0.5 + 0.15 * columns)


def boruvka_pays(rows: int, columns: int) -> bool:
    """Whether a spanning tree is found faster by a kd-tree than by comparing all pairs."""
    return columns <= 8 and 150 * 2**columns <= rows <= MOST_INDEXED_ROWS
