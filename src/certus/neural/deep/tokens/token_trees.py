"""Binary trees of tokens: nested pairs, as lists of nodes in which children come before their parents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.tokens.vocabulary import Codes

_HINT = "Hint: a tree is a token, or a tuple of two trees: (('a', 'b'), 'c')."


@dataclass(frozen=True, eq=False)
class TokenTree:
    """The nodes of one tree, from the leaves up.

    Attributes
    ----------
    tokens : list
        Those of the leaves, from left to right.
    left, right : int arrays
        For every inner node the numbers of its children; leaves are numbered first.
    heights : int array
        Of the inner nodes: the longest way down to a leaf. They do not fall from node to node.
    """

    tokens: list[Any]
    left: Codes
    right: Codes
    heights: Codes


def read_trees(trees: Any, owner: str) -> list[TokenTree]:
    """Checked trees."""
    if not isinstance(trees, Iterable) or isinstance(trees, str | bytes | tuple):
        raise ValueError(f"{owner}: X must be a list of trees, got {type(trees).__name__}.\n{_HINT}")
    found = [_read(tree, owner, number) for number, tree in enumerate(trees)]
    if not found:
        raise ValueError(f"{owner}: X must have at least one tree, got none.\n{_HINT}")
    return found


def _read(tree: Any, owner: str, number: int) -> TokenTree:
    """Depth first, without recursion: trees may be as deep as they have nodes."""
    leaves: list[Any] = []
    pairs: list[tuple[int, int, int]] = []  # height and children of inner nodes; these count from -1 downwards
    done: list[tuple[int, int]] = []  # height and number of finished subtrees
    waiting: list[tuple[Any, bool]] = [(tree, False)]
    while waiting:
        node, is_open = waiting.pop()
        if is_open:
            (height_right, right), (height_left, left) = done.pop(), done.pop()
            pairs.append((1 + max(height_left, height_right), left, right))
            done.append((pairs[-1][0], -len(pairs)))
        elif isinstance(node, tuple | list):
            if len(node) != 2:
                raise ValueError(
                    f"{owner}: every inner node of a tree must have two children, got {len(node)} in tree {number}.\n"
                    f"{_HINT}"
                )
            waiting += [(node, True), (node[1], False), (node[0], False)]
        else:
            done.append((0, len(leaves)))
            leaves.append(_token(node, owner, number))
    order = sorted(range(len(pairs)), key=lambda place: pairs[place][0])
    numbers = {-1 - place: len(leaves) + rank for rank, place in enumerate(order)}
    table = np.array([pairs[place] for place in order], dtype=np.int64).reshape(-1, 3)
    first, second = (np.array([numbers.get(n, n) for n in side], np.int64) for side in table[:, 1:].T.tolist())
    return TokenTree(leaves, first, second, table[:, 0])


def _token(node: Any, owner: str, number: int) -> Any:
    token = node.item() if isinstance(node, np.generic) else node
    try:
        same = hash(token) is not None and token == token
    except TypeError:
        same = False
    if not same:
        raise ValueError(
            f"{owner}: tokens must be hashable and equal to themselves, got {token!r} in tree {number}.\n{_HINT}"
        )
    return token


class TreeInputs:
    """Trees as inputs of a module, all nodes of a batch at once, level by level.

    Parameters
    ----------
    trees : sequence of TokenTree
        The trees.
    codes : sequence of int arrays
        The tokens of their leaves as numbers from 0.
    """

    lengths: NDArray[np.int64] | None = None

    def __init__(self, trees: Sequence[TokenTree], codes: Sequence[Codes]) -> None:
        self.trees, self.codes = trees, codes

    @property
    def count(self) -> int:
        """Number of trees."""
        return len(self.trees)

    @property
    def shape(self) -> tuple[int, ...]:
        """As an array of trees."""
        return (len(self.trees),)

    def part(self, rows: NDArray[np.int64]) -> TreeInputs:
        """Some of them."""
        return TreeInputs([self.trees[row] for row in rows], [self.codes[row] for row in rows])

    def tensors(self, rows: NDArray[np.int64], device: Any) -> tuple[Any, ...]:
        """Codes of all leaves; for every height its nodes' children; the roots. Leaves are numbered first."""
        trees = [self.trees[row] for row in rows]
        leaves = np.array([len(tree.tokens) for tree in trees])
        inner = np.array([len(tree.left) for tree in trees])
        of_tree = np.repeat(np.arange(len(trees)), inner)
        heights = np.concatenate([tree.heights for tree in trees])
        order = np.argsort(heights, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        first_leaf, first_inner = np.cumsum(leaves) - leaves, np.cumsum(inner) - inner

        def in_batch(numbers: Codes, tree: NDArray[Any]) -> Codes:
            """Numbers of nodes in their trees as numbers in the batch."""
            is_leaf = numbers < leaves[tree]
            place = np.where(is_leaf, 0, numbers - leaves[tree] + first_inner[tree])
            sorted_place = rank[place] if len(rank) else place
            return np.where(is_leaf, numbers + first_leaf[tree], leaves.sum() + sorted_place)

        children = np.stack(
            [in_batch(np.concatenate([getattr(tree, side) for tree in trees]), of_tree) for side in ("left", "right")]
        )[:, order]
        levels = np.split(children, np.flatnonzero(np.diff(heights[order])) + 1, axis=1) if len(order) else []
        roots = in_batch(leaves + inner - 1, np.arange(len(trees)))

        def tensor(values: Any) -> Any:
            return torch.from_numpy(np.ascontiguousarray(values, dtype=np.int64)).to(device)

        codes = tensor(np.concatenate([self.codes[row] for row in rows]))
        return codes, [tensor(level) for level in levels], tensor(roots)

    def arrays(self) -> Iterable[Any]:
        """What identifies the trees."""
        for tree, codes in zip(self.trees, self.codes, strict=True):
            yield from (codes, tree.left, tree.right)
