"""Parts of a graph with a small normalized cut, component by component.

The eigenvalues of a graph are those of its components together. Of the k smallest of them each component has its
share, and is divided into as many parts; where there are k components or more, no cut is needed at all.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from certus.cluster.solvers.cut_graph import CutGraph, Floats, Integers
from certus.cluster.solvers.embedded_labels import Labeling, label_places
from certus.cluster.solvers.leading_vectors import Leading, leading_vectors

TINY = 1e-8  # eigenvalues of B up to this size tell nothing about new rows


@dataclass(frozen=True)
class Division:
    """How rows are divided.

    ``places`` has a column per eigenvector, divided by the roots of the degrees and zero outside its component, with
    the eigenvalues 1 - mu of I - B in ``eigenvalues``; ``matrix`` and ``offsets`` label them (see `Labeling`).
    ``leading`` holds the k smallest eigenvalues of I - B as the largest of B; None where nothing was solved.
    """

    labels: Integers
    components: Integers
    places: Floats
    eigenvalues: Floats
    matrix: Floats
    offsets: Floats
    leading: Leading | None


@dataclass(frozen=True)
class Wish:
    """What is asked for: parts, eigenvectors, how rows are labeled, accuracy, threads."""

    clusters: int
    vectors: int
    method: str
    starts: int
    tolerance: float
    threads: int


def divide(graph: CutGraph, wish: Wish, rng: np.random.Generator) -> Division:
    """Divide the rows into k parts."""
    count, components = graph.components()
    if count >= wish.clusters:
        labels = _grouped(graph, components, count, wish.clusters)
        nothing = np.zeros((graph.rows, 0))
        matrix, offsets = np.zeros((0, wish.clusters)), np.zeros(wish.clusters)
        return Division(labels, components, nothing, np.zeros(0), matrix, offsets, None)
    matrix = graph.normalized()
    members = (
        [np.flatnonzero(components == number) for number in range(count)] if count > 1 else [np.arange(graph.rows)]
    )
    asked = max(wish.clusters, wish.vectors) - count + 1
    solved = []
    for rows in members:
        part = matrix if count == 1 else matrix[np.ix_(rows, rows)]
        solved.append(leading_vectors(part, min(asked, len(rows)), wish.tolerance, rng, wish.threads))
    shares = _shares(solved, wish.clusters)
    return _joined(graph, components, members, solved, shares, wish, rng)


def _grouped(graph: CutGraph, components: Integers, count: int, clusters: int) -> Integers:
    """Whole components, the largest first, each to the cluster with the smallest sum of degrees."""
    volumes = np.bincount(components, graph.degrees, minlength=count)
    heap = [(0.0, cluster) for cluster in range(clusters)]
    cluster_of = np.zeros(count, dtype=np.intp)
    for component in np.argsort(-volumes, kind="stable"):
        volume, cluster = heapq.heappop(heap)
        cluster_of[component] = cluster
        heapq.heappush(heap, (volume + float(volumes[component]), cluster))
    return cluster_of[components]


def _shares(solved: list[Leading], clusters: int) -> NDArray[np.intp]:
    """How many of the k largest eigenvalues every component has: its first, and the best of the others."""
    owners = np.concatenate([np.full(len(found.values) - 1, place) for place, found in enumerate(solved)])
    values = np.concatenate([found.values[1:] for found in solved])
    best = np.argsort(-values, kind="stable")[: clusters - len(solved)]
    return 1 + np.bincount(owners[best].astype(np.intp), minlength=len(solved))


def _joined(
    graph: CutGraph,
    components: Integers,
    members: list[Integers],
    solved: list[Leading],
    shares: NDArray[np.intp],
    wish: Wish,
    rng: np.random.Generator,
) -> Division:
    labels = np.zeros(graph.rows, dtype=np.intp)
    places, eigenvalues, blocks, offsets = [], [], [], []
    more, first = wish.vectors - wish.clusters, 0
    for rows, found, share in zip(members, solved, shares.tolist(), strict=True):
        columns = min(max(1, share + more), found.vectors.shape[1])
        own = _signed(found.vectors[:, :columns]) / np.sqrt(graph.degrees[rows])[:, None]
        if share == 1 and len(members) > 1:
            labeling = Labeling(np.zeros(len(rows), dtype=np.intp), np.ones((columns, 1)), np.zeros(1))
        else:
            labeling = label_places(own, share, wish.method, wish.starts, rng)
        labels[rows] = labeling.labels + first
        first += len(labeling.offsets)
        column = np.zeros((graph.rows, columns))
        column[rows] = own
        places.append(column)
        eigenvalues.append(1.0 - found.values[:columns])
        blocks.append(labeling.matrix)
        offsets.append(labeling.offsets)
    leading = _pooled(graph.rows, members, solved, shares)
    matrix = np.asarray(block_diag(*blocks))
    return Division(
        labels, components, np.hstack(places), np.concatenate(eigenvalues), matrix, np.concatenate(offsets), leading
    )


def _pooled(rows: int, members: list[Integers], solved: list[Leading], shares: NDArray[np.intp]) -> Leading:
    """The eigenvalues of all components that count, as those of one matrix."""
    vectors = np.zeros((rows, int(shares.sum())))
    values, residuals, first = [], [], 0
    beyond = -np.inf
    for own, found, share in zip(members, solved, shares.tolist(), strict=True):
        vectors[own, first : first + share] = found.vectors[:, :share]
        values.append(found.values[:share])
        residuals.append(found.residuals[:share])
        beyond = max(beyond, found.beyond, *found.values[share : share + 1])
        first += share
    complete = all(found.complete for found in solved)
    return Leading(np.concatenate(values), vectors, np.concatenate(residuals), complete, float(beyond))


def _signed(vectors: Floats) -> Floats:
    """Vectors whose largest entry is positive."""
    largest = vectors[np.argmax(np.abs(vectors), axis=0), np.arange(vectors.shape[1])]
    return vectors * np.where(largest < 0.0, -1.0, 1.0)


def label_new(
    affinities: Floats,
    components: Integers,
    labels: Integers,
    division: tuple[Floats, Floats, Floats, Floats],
    *,
    size: bool,
) -> Integers:
    """Labels of new rows by their affinities to the training rows (first axis: new rows); -1 where there is none.

    A row belongs to the component that it has most affinity to. Its place is the mean of the places of the training
    rows by affinity, divided by the eigenvalue of B (Nystrom's extension). With ``size`` the absolute scores count.
    """
    places, eigenvalues, matrix, offsets = division
    count, mu = int(components.max()) + 1, 1.0 - eigenvalues
    stretch = np.where(mu > TINY, 1.0 / np.maximum(mu, TINY), 0.0)
    totals = np.zeros((len(affinities), count))
    for component in range(count):
        totals[:, component] = affinities[:, components == component].sum(axis=1)
    chosen = np.argmax(totals, axis=1)
    found = np.full(len(affinities), -1, dtype=np.intp)
    for component in range(count):
        rows = np.flatnonzero((chosen == component) & (totals[np.arange(len(totals)), chosen] > 0.0))
        inside = components == component
        candidates = np.unique(labels[inside])
        if len(candidates) == 1:
            found[rows] = candidates[0]
        elif len(rows):
            weights = affinities[np.ix_(rows, np.flatnonzero(inside))] / totals[rows, component][:, None]
            scores = (weights @ places[inside] * stretch) @ matrix + offsets
            scores = np.abs(scores) if size else scores
            found[rows] = candidates[np.argmax(scores[:, candidates], axis=1)]
    return found
