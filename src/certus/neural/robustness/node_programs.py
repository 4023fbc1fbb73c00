"""Linear programs over the signs of ReLU units: the least distance to a rival label, bounded without trust."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy import optimize, sparse

from certus.neural.robustness.activation_lines import U, activation_lines
from certus.neural.robustness.dense_layers import Array, ScoringNetwork
from certus.neural.robustness.linear_bounds import Region, bound_layers, interval_bounds, slack

Signs = tuple[tuple[int, int, int], ...]  # (layer, unit, 1 or -1)


@dataclass(frozen=True)
class Solved:
    """A lower bound of the distance (infinite where nothing is left), and the solver's point, if it has one."""

    bound: float
    change: Array | None
    gaps: list[Array]


class NodePrograms:
    """The programs of one row and one radius, with any signs fixed.

    Variables: the change of the row, z and a of every hidden layer, the scores, and the distance. z = a W + b holds
    up to the rounding of the model, a lies between max(0, z) and the chord over the range of z.

    Parameters
    ----------
    network : ScoringNetwork
        With ReLU units only.
    row : array of shape (features,)
        The middle.
    margins : array of shape (rivals, scores)
        Differences of scores that are positive where the label is the row's.
    norm : {"inf", "1"}
        Of distances.
    radius : float
        Larger distances do not matter.
    """

    def __init__(self, network: ScoringNetwork, row: Array, margins: Array, norm: str, radius: float) -> None:
        self.network, self.margins, self.radius = network, margins, radius
        self.region = Region(network, row[None], np.array([radius]), norm)
        bound_layers(self.region, "linear")
        self.scores = tuple(end[0] for end in interval_bounds(self.region, len(network.layers) - 1))
        d, hidden = network.n_features, [len(part.offsets) for part in network.layers[:-1]]
        sizes = [d, *np.repeat(hidden, 2), margins.shape[1], 1 if norm == "inf" else d]
        ends = np.cumsum([0, *sizes])
        self.columns = [slice(start, end) for start, end in itertools.pairwise(ends)]
        self.width = int(ends[-1])
        self.cost = np.zeros(self.width)
        self.cost[self.columns[-1]] = 1.0
        self.rows, self.limits = self._fixed_rows(row)

    def _block(self, *parts: tuple[slice, Array | sparse.sparray]) -> sparse.csr_array:
        """Rows with these entries in these columns."""
        count = parts[0][1].shape[0]
        filled = {place.start: sparse.csr_array(values) for place, values in parts}
        blocks = [
            filled.get(place.start, sparse.csr_array((count, place.stop - place.start))) for place in self.columns
        ]
        return sparse.csr_array(sparse.hstack(blocks, format="csr"))

    def _fixed_rows(self, row: Array) -> tuple[sparse.csr_array, Array]:
        """What holds in every node: layers, z <= a, and the distance."""
        blocks, limits = [], []
        for layer, part in enumerate(self.network.layers):
            inputs, outputs = self.columns[2 * layer], self.columns[2 * layer + 1]
            W, middle, off = part.weights, part.offsets, self.region.noise[layer][0]
            if layer == 0:
                middle = row @ W + part.offsets
                size = self.region.input_size[0] @ np.abs(W) + np.abs(part.offsets)
                off = off + self.region.input_noise[0] @ np.abs(W) + (8.0 * len(W) + 64.0) * U * size
            off = off + 8.0 * U * (np.abs(middle) + off)
            unit = sparse.eye_array(len(middle))
            blocks += [self._block((outputs, unit), (inputs, -W.T)), self._block((outputs, -unit), (inputs, W.T))]
            limits += [middle + off, off - middle]
            if layer < len(self.network.layers) - 1:
                blocks.append(self._block((outputs, unit), (self.columns[2 * layer + 2], -unit)))
                limits.append(np.zeros(len(middle)))
        change, distance = self.columns[0], self.columns[-1]
        unit = sparse.eye_array(len(row))
        one = np.ones((len(row), 1)) if distance.stop - distance.start == 1 else unit
        blocks += [self._block((change, unit), (distance, -one)), self._block((change, -unit), (distance, -one))]
        limits += [np.zeros(len(row))] * 2
        return sparse.csr_array(sparse.vstack(blocks, format="csr")), np.concatenate(limits)

    def ranges(self, signs: Signs) -> list[tuple[Array, Array]]:
        """Between what z of the hidden layers lies, with those signs."""
        found = [(low[0].copy(), high[0].copy()) for low, high in zip(self.region.low, self.region.high, strict=True)]
        for layer, unit, sign in signs:
            end = found[layer][0 if sign > 0 else 1]
            end[unit] = max(end[unit], 0.0) if sign > 0 else min(end[unit], 0.0)
        return found

    def solve(self, rival: int, signs: Signs, lead: float = 0.0) -> Solved:
        """The least distance at which that rival wins by so much, from below."""
        ranges = self.ranges(signs)
        low, high = np.full(self.width, -self.radius), np.full(self.width, self.radius)
        low[self.columns[-1]] = 0.0
        blocks, limits = [self.rows], [self.limits]
        for layer, (least, most) in enumerate(ranges):
            z, a = self.columns[2 * layer + 1], self.columns[2 * layer + 2]
            kind = self.network.layers[layer].activation
            *_, S, T = activation_lines(kind, least, most, self.network.unit)
            low[z], high[z] = least, most
            low[a], high[a] = (least, most) if kind == "identity" else (np.maximum(least, 0.0), np.maximum(most, 0.0))
            blocks.append(self._block((a, sparse.eye_array(len(S))), (z, -sparse.diags_array(S))))
            limits.append(T)
        scores = self.columns[-2]
        low[scores], high[scores] = self.scores
        blocks.append(self._block((scores, self.margins[rival : rival + 1])))
        limits.append(np.array([slack(self.network) - lead]))
        if (low > high).any():
            return Solved(np.inf, None, [])
        matrix = sparse.csr_array(sparse.vstack(blocks, format="csr"))
        return self._answer(matrix, np.concatenate(limits), low, high)

    def _answer(self, matrix: sparse.csr_array, limits: Array, low: Array, high: Array) -> Solved:
        bounds = np.stack([low, high], axis=1)
        found = optimize.linprog(self.cost, matrix, limits, bounds=bounds, method="highs")
        if found.status == 0:
            bound = dual_bound(self.cost, matrix, limits, low, high, -found.ineqlin.marginals)
            values = [found.x[place] for place in self.columns]
            gaps = [values[2 * k + 2] - np.maximum(values[2 * k + 1], 0.0) for k in range(len(self.region.low))]
            return Solved(bound, values[0], gaps)
        # Nothing left, says the solver: proved if every point misses some limit by more than 0.
        largest = np.abs(matrix) @ np.maximum(np.abs(low), np.abs(high)) + np.abs(limits)
        relaxed = sparse.csr_array(sparse.hstack([matrix, -np.ones((len(limits), 1))], format="csr"))
        low, high = np.append(low, 0.0), np.append(high, 1.0 + largest.max())
        cost = np.zeros(self.width + 1)
        cost[-1] = 1.0
        found = optimize.linprog(cost, relaxed, limits, bounds=np.stack([low, high], axis=1), method="highs")
        missed = -1.0
        if found.status == 0:
            missed = dual_bound(cost, relaxed, limits, low, high, -found.ineqlin.marginals)
        return Solved(np.inf if missed > 0.0 else 0.0, None, [])


def dual_bound(
    cost: Array, matrix: sparse.csr_array, limits: Array, low: Array, high: Array, multipliers: Array
) -> float:
    """A lower bound of cost'v over matrix v <= limits, low <= v <= high: any multipliers y >= 0 give one.

    cost'v >= (cost + matrix'y)'v - limits'y, where each term of the first product is least at one end of its range.
    The roundings of all sums are taken off (Neumaier, Shcherbina 2004).
    """
    y = np.maximum(multipliers, 0.0)
    reduced = cost + matrix.T @ y
    size = np.abs(cost) + np.abs(matrix).T @ y
    value = np.minimum(reduced * low, reduced * high).sum() - limits @ y
    reach = np.maximum(np.abs(low), np.abs(high))
    terms = 2.0 * sum(matrix.shape) + 64.0
    rounding = terms * U * (size @ reach + np.abs(limits) @ y)
    return float(value - rounding)
