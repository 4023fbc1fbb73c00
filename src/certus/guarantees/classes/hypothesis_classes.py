"""A catalogue of hypothesis classes: VC dimension and growth function, exact where they are known."""

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from certus.guarantees.classes.growth_sums import cover, sauer
from certus.guarantees.records.bound_arguments import check_count


@dataclass(frozen=True)
class HypothesisClass:
    """A class of classifiers and its capacity.

    Parameters
    ----------
    name : str
        Key in `CLASSES`.
    vc : int or float
        VC dimension, or an upper bound on it when `exact` is False; infinity for a class without one.
    exact : bool
        Whether `vc` is the dimension itself.
    source : str
        Where the number comes from.
    parameters : mapping
        What the class was built from.
    count : callable
        Upper bound on the number of labelings of that many points.

    Examples
    --------
    >>> intervals().vc, intervals().growth(6)
    (2, 22)
    """

    name: str
    vc: int | float
    exact: bool
    source: str
    parameters: Mapping[str, object]
    count: Callable[[int], int] = field(repr=False, compare=False)

    def growth(self, points: int) -> int:
        """At most that many labelings of `points` points are possible."""
        n = check_count(points, "points")
        counted = min(1 << n, self.count(n))
        return min(counted, sauer(n, int(self.vc))) if self.exact and self.vc < n else counted


LARGEST = 10**5  # features, leaves or weights of a class, so that its labelings can still be counted


def _check_size(value: object, name: str) -> int:
    size = check_count(value, name, minimum=1)
    if size > LARGEST:
        raise ValueError(f"{name} must be at most {LARGEST}, got {size}.")
    return size


def thresholds() -> HypothesisClass:
    """sign(x - t) on the line: VC dimension 1, n + 1 labelings."""
    return HypothesisClass("thresholds", 1, True, "counting", {}, lambda n: n + 1)


def intervals() -> HypothesisClass:
    """Inside [a, b] on the line: VC dimension 2, 1 + n (n + 1) / 2 labelings."""
    return HypothesisClass("intervals", 2, True, "counting", {}, lambda n: 1 + n * (n + 1) // 2)


def rectangles(features: int) -> HypothesisClass:
    """Inside an axis-parallel box: VC dimension 2 features."""
    d = _check_size(features, "features")
    return HypothesisClass("rectangles", 2 * d, True, "extreme points", {"features": d}, lambda n: sauer(n, 2 * d))


def half_spaces(features: int, offset: bool = True) -> HypothesisClass:
    """sign(w.x + b): VC dimension features + 1, without offset features; growth by Cover's count."""
    d = _check_size(features, "features") + bool(offset)
    given = {"features": d - bool(offset), "offset": bool(offset)}
    return HypothesisClass("half_spaces", d, True, "Radon 1921, Cover 1965", given, lambda n: cover(n, d))


def margin_half_spaces(radius: float, norm: float, features: int | None = None) -> HypothesisClass:
    """sign(w.x) with |w| <= norm and |w.x| >= 1 on points of length at most radius: at most (radius norm)^2."""
    if not (0.0 < radius < math.inf and 0.0 < norm < math.inf):
        raise ValueError(f"radius and norm must be finite and greater than 0, got {radius!r} and {norm!r}.")
    d = math.floor((radius * norm) ** 2 * (1.0 + 1e-12))
    if features is not None:
        d = min(d, check_count(features, "features", minimum=1))
    d = _check_size(d, "(radius norm)^2") if d else 0
    given = {"radius": float(radius), "norm": float(norm), "features": features}
    return HypothesisClass(
        "margin_half_spaces", d, False, "mistakes of the perceptron on a shattered set", given, lambda n: sauer(n, d)
    )


def stumps(features: int) -> HypothesisClass:
    """One threshold on one feature: the largest k with C(k, floor(k/2)) <= 2 features (Leboeuf et al. 2020)."""
    d = check_count(features, "features", minimum=1)
    k = 1
    while math.comb(k + 1, (k + 1) // 2) <= 2 * d:
        k += 1
    return HypothesisClass(
        "stumps",
        k,
        True,
        "Decision trees as partitioning machines (Leboeuf et al. 2020)",
        {"features": d},
        lambda n: 1 if n == 0 else 2 * (1 + d * (n - 1)),
    )


def trees(leaves: int, features: int) -> HypothesisClass:
    """Binary trees with thresholds on single features: counted by shape, splits and labels of the leaves.

    A tree of L leaves has one of Catalan(L - 1) shapes, every split one of 2 + features (n - 1) ways to send n
    points left or right, every leaf one of two labels.
    """
    size, d = _check_size(leaves, "leaves"), check_count(features, "features", minimum=1)
    shapes = math.comb(2 * (size - 1), size - 1) // size

    def count(n: int) -> int:
        return 1 if n == 0 else shapes * (2 + d * (n - 1)) ** (size - 1) * 2**size

    given = {"leaves": size, "features": d}
    return HypothesisClass("trees", _largest_shattered(count), False, "counting", given, count)


def threshold_networks(widths: tuple[int, ...]) -> HypothesisClass:
    """Networks of threshold units, layer by layer: the product of the counts of all units (Baum, Haussler 1989).

    Parameters
    ----------
    widths : tuple of int
        Inputs, units of every hidden layer, and a last 1 for the output.
    """
    sizes = _network_sizes(widths)

    def count(n: int) -> int:
        return math.prod(cover(n, fan_in + 1) ** units for fan_in, units in itertools.pairwise(sizes))

    return HypothesisClass(
        "threshold_networks",
        _largest_shattered(count),
        len(sizes) == 2,
        "What Size Net Gives Valid Generalization? (Baum, Haussler 1989)",
        {"widths": sizes},
        count,
    )


def relu_networks(widths: tuple[int, ...]) -> HypothesisClass:
    """The sign of a network of ReLU units: sign patterns of polynomials in the weights, layer by layer.

    On n points the inputs of layer i are polynomials of degree at most i in the W_i weights up to that layer,
    wherever the signs of those before are fixed. They have at most 2 (2 e n k_i i / W_i)^W_i sign patterns for k_i
    units, and never more than 2^(n k_i); the product over layers bounds the labelings.

    Parameters
    ----------
    widths : tuple of int
        Inputs, units of every hidden layer, and a last 1 for the output.
    """
    sizes = _network_sizes(widths)
    weights = tuple(itertools.accumulate((fan_in + 1) * units for fan_in, units in itertools.pairwise(sizes)))

    def bits(n: int) -> float:
        total = 0.0
        for layer, (units, free) in enumerate(zip(sizes[1:], weights, strict=True), start=1):
            every = float(n * units)
            few = 1.0 + free * math.log2(2.0 * math.e * every * layer / free) if every >= free else every
            total += min(every, few)
        return total

    def count(n: int) -> int:
        return _power_of_two(bits(n)) if n else 1

    return HypothesisClass(
        "relu_networks",
        _largest_shattered(count),
        False,
        "Nearly-tight VC-dimension bounds for piecewise linear neural networks (Bartlett, Harvey, Liaw, "
        "Mehrabian 2019)",
        {"widths": sizes},
        count,
    )


def sigmoid_networks(widths: tuple[int, ...]) -> HypothesisClass:
    """The sign of a network of sigmoid units: at most (W k)^2 + 11 W k log2(18 W k^2) for W weights and k units.

    That is of order |V|^2 |E|^2 at most for |V| units and |E| edges; no bound of the order of threshold networks
    exists.

    Parameters
    ----------
    widths : tuple of int
        Inputs, units of every hidden layer, and a last 1 for the output.
    """
    sizes = _network_sizes(widths)
    W = sum((fan_in + 1) * units for fan_in, units in itertools.pairwise(sizes))
    k = sum(sizes[1:])

    def count(n: int) -> int:
        if n < W:
            return 1 << n
        return _power_of_two((W * k) ** 2 / 2 + 5 * W * k * math.log2(18 * W * k * k) + W * math.log2(math.e * n / W))

    return HypothesisClass(
        "sigmoid_networks",
        math.floor((W * k) ** 2 + 11 * W * k * math.log2(18 * W * k * k)),
        False,
        "Neural Network Learning: Theoretical Foundations, theorem 8.13 (Anthony, Bartlett 1999)",
        {"widths": sizes},
        count,
    )


def _network_sizes(widths: tuple[int, ...]) -> tuple[int, ...]:
    """Widths with inputs first and one output last, and no more weights than can be counted with."""
    sizes = tuple(check_count(width, "widths", minimum=1) for width in widths)
    if len(sizes) < 2 or sizes[-1] != 1:
        raise ValueError(f"widths must have inputs first and a single output last, got {widths!r}.")
    _check_size(sum((fan_in + 1) * units for fan_in, units in itertools.pairwise(sizes)), "weights")
    return sizes


def _power_of_two(bits: float) -> int:
    """A whole number not below 2^bits."""
    return 1 << math.ceil(bits * (1.0 + 1e-12))


def finite(hypotheses: int) -> HypothesisClass:
    """Any finite class: at most log2(hypotheses)."""
    size = check_count(hypotheses, "hypotheses", minimum=1)
    return HypothesisClass(
        "finite", size.bit_length() - 1, False, "counting", {"hypotheses": size}, lambda n: min(size, 1 << n)
    )


def sines() -> HypothesisClass:
    """sign(sin(w x)) on the line: one parameter, yet every labeling of 1/2, 1/4, 1/8 ... occurs."""
    return HypothesisClass("sines", math.inf, True, "Vapnik 1995", {}, lambda n: 1 << n)


def _largest_shattered(count: Callable[[int], int]) -> int:
    """The largest n at which the count does not exclude shattering; its logarithm is concave in n."""

    def possible(n: int) -> bool:
        return count(n).bit_length() > n

    high = 1
    while possible(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if possible(middle) else (low, middle)
    return low


CLASSES: dict[str, Callable[..., HypothesisClass]] = {
    "thresholds": thresholds,
    "intervals": intervals,
    "rectangles": rectangles,
    "half_spaces": half_spaces,
    "margin_half_spaces": margin_half_spaces,
    "stumps": stumps,
    "trees": trees,
    "threshold_networks": threshold_networks,
    "relu_networks": relu_networks,
    "sigmoid_networks": sigmoid_networks,
    "finite": finite,
    "sines": sines,
}
