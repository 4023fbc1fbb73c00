"""Streams on which bounds on regret are tried, and what every rule owes on them at every trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from certus.online import (
    AdaHedge,
    AggregatingAlgorithm,
    FixedShare,
    FlooredWeights,
    Halving,
    Hedge,
    MixingPastPosteriors,
    Specialists,
    Squint,
    VariableShare,
    WeightedAverage,
    WeightedMajority,
)

Stream = tuple[np.ndarray, np.ndarray]

# Rules of forecasts, each with a bound that the needle streams come close to.
FORECASTERS: dict[str, Callable[[], object]] = {
    "average-log": lambda: WeightedAverage("log"),
    "average-square": lambda: WeightedAverage(),
    "average-prior": lambda: WeightedAverage(prior=[0.01, *[1.0] * 199]),
    "vovk-square": lambda: AggregatingAlgorithm(),
    "vovk-absolute": lambda: AggregatingAlgorithm("absolute", eta=1.0),
    "average-range": lambda: WeightedAverage(value_range=(-1.0, 3.0)),
    "fixed-share": lambda: FixedShare(0.05, switches=2),
    "fixed-share-vovk": lambda: FixedShare(0.05, prediction="vovk", switches=2),
    "fixed-share-log": lambda: FixedShare(0.05, loss="log", switches=2),
    "variable-share": lambda: VariableShare(0.2, switches=2),
    "variable-share-vovk": lambda: VariableShare(0.2, prediction="vovk", switches=2),
    "past-posteriors": lambda: MixingPastPosteriors(0.05, loss="log", switches=2),
    "floored": lambda: FlooredWeights(0.05, loss="log", switches=2),
    "specialists": lambda: Specialists("log"),
}


def unit_range(model: object) -> tuple[float, float]:
    return getattr(model, "value_range", (0.0, 1.0))


def needles(model: object, *, experts: int = 200, trials: int = 40) -> Stream:
    """One expert is right in every part of the stream, all others are as wrong as they can be."""
    low, high = unit_range(model)
    wrong = 0.999 if model.loss == "log" else 1.0
    advice = np.full((trials, experts), wrong)
    segments = 3 if getattr(model, "switches", 0) else 1
    for part in range(segments):
        rows = slice(part * trials // segments, (part + 1) * trials // segments)
        advice[rows, part] = 1.0 - wrong
    return low + (high - low) * advice, np.full(trials, low)


def coins(model: object, seed: int, *, experts: int = 200, trials: int = 40) -> Stream:
    """Random advice and labels, with an expert that errs little."""
    rng = np.random.default_rng(seed)
    low, high = unit_range(model)
    labels = (rng.random(trials) < 0.5).astype(float)
    advice = rng.uniform(0.01, 0.99, (trials, experts))
    advice[:, 0] = np.clip(labels + rng.normal(0, 0.2, trials), 0.01, 0.99)
    return low + (high - low) * advice, np.where(labels > 0, high, low)


def adaptive(model: object, *, experts: int = 200, trials: int = 40) -> Stream:
    """Labels are always what the prediction is farther from."""
    rng = np.random.default_rng(3)
    low, high = unit_range(model)
    advice = low + (high - low) * rng.uniform(0.01, 0.99, (trials, experts))
    labels = []
    for row in advice:
        labels.append(low if model.predict_one(row) >= (low + high) / 2 else high)
        model.learn_one(row, labels[-1])
    return advice, np.array(labels)


def streams_for(make: Callable[[], object]) -> Iterator[Stream]:
    yield needles(make())
    yield adaptive(make())
    for seed in range(2):
        yield coins(make(), seed)


def slack(make: Callable[[], object], stream: Stream) -> float:
    """The least of bound - regret over all lines and all trials."""
    model, least = make(), np.inf
    for x, y in zip(*stream, strict=True):
        model.learn_one(x, y)
        least = min(least, *(line.bound - line.regret for line in model.ledger_.lines))
    return least


def vote_stream(seed: int, *, experts: int = 64, trials: int = 60, noise: float = 0.1) -> Stream:
    rng = np.random.default_rng(seed)
    labels = (rng.random(trials) < 0.5).astype(float)
    advice = (rng.random((trials, experts)) < 0.5).astype(float)
    advice[:, 0] = np.where(rng.random(trials) < noise, 1 - labels, labels)
    return advice, labels


VOTERS: dict[str, Callable[[], object]] = {
    "halving": lambda: Halving(),
    "majority": lambda: WeightedMajority(),
    "majority-0.5": lambda: WeightedMajority(0.5),
    "randomized": lambda: WeightedMajority(0.8, randomized=True, random_state=0),
}


def votes_against(make: Callable[[], object], *, experts: int = 64, trials: int = 40) -> Stream:
    """The label is what the learner did not say; half of those with the fewest mistakes are right."""
    model = make()
    wrong, advice, labels = np.zeros(experts), [], []
    for _ in range(trials):
        order = np.argsort(wrong, kind="stable")
        row = np.zeros(experts)
        row[order[::2]] = 1.0
        label = 0.0 if model.predict_one(row) else 1.0
        model.learn_one(row, label)
        wrong += row != label
        advice.append(row)
        labels.append(label)
    return np.array(advice), np.array(labels)


def halved_weights(beta: float, *, experts: int = 4096, trials: int = 40) -> Stream:
    """While the perfect expert has less than half of the weight, just less than half of it is right every time."""
    weights, advice = np.ones(experts), []
    for _ in range(trials):
        order = np.concatenate([[0], 1 + np.argsort(-weights[1:], kind="stable")])
        right = order[np.cumsum(weights[order]) <= weights.sum() / 2]
        if not len(right):
            break
        row = np.ones(experts)
        row[right] = 0.0
        weights = np.where(row > 0, beta * weights, weights)
        advice.append(row)
    return np.array(advice), np.zeros(len(advice))


ALLOCATIONS: dict[str, Callable[[int, int], object]] = {
    "hedge": lambda n, T: Hedge(n, horizon=T),
    "hedge-fast": lambda n, T: Hedge(n, eta=1.0),
    "ada-hedge": lambda n, T: AdaHedge(n),
    "squint": lambda n, T: Squint(n),
}


def loss_tables(experts: int = 100, trials: int = 60) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(0)
    needle = np.ones((trials, experts))
    needle[:, 7] = 0.0
    yield needle
    yield (rng.random((trials, experts)) < 0.5).astype(float)
    yield np.clip(rng.normal(0.5, 0.2, (trials, experts)), 0, 1)
    small = rng.random((trials, experts)) * 0.02
    yield small


def loss_slack(make: Callable[[int, int], object], table: np.ndarray) -> float:
    model, least = make(table.shape[1], len(table)), np.inf
    for losses in table:
        model.observe(losses)
        least = min(least, model.ledger_.bound - model.ledger_.regret)
    return least
