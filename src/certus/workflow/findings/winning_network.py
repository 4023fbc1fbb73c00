"""A winner that is a Bayesian network: its graph in the words of the table, and why it decided the hardest rows so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from certus.graphical import BayesianNetwork, BayesianNetworkClassifier
from certus.workflow.models import Blend

if TYPE_CHECKING:
    from certus.workflow.findings.gather import Finished

MOST_NODES = 24  # that a picture shows
HARDEST = 3
MOST_CELLS = 5  # of a row that are named
_SAMPLE = 500

Array = NDArray[Any]


@dataclass(frozen=True)
class Explained:
    """Why one row was decided so.

    Attributes
    ----------
    truth, prediction, rival : str
        Its label, that of the network, and the label that the odds are against: the true one, or the next likely.
    log_odds, before : float
        Of the prediction against the rival, with all cells and with none.
    cells : list of (str, str, float)
        Columns, their cells, and what these add to the log-odds, the largest first.
    """

    truth: str
    prediction: str
    rival: str
    log_odds: float
    before: float
    cells: list[tuple[str, str, float]]


@dataclass(frozen=True)
class NetworkFound:
    """The Bayesian network of the winner, or of a part of a blend.

    Attributes
    ----------
    target : str
        The node of the label.
    blanket : list of str
        Its Markov blanket: with these known, no other column tells more about it.
    shown : BayesianNetwork
        The graph with the names of the table; of a large one the target and the columns that matter most.
    nodes : int
        How many nodes it has.
    explained : list of Explained
        The test rows that the study's model found hardest.
    """

    target: str
    blanket: list[str]
    shown: BayesianNetwork
    nodes: int
    explained: list[Explained]

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values."""
        return {
            "target": self.target,
            "markov_blanket": self.blanket,
            "nodes": self.nodes,
            "edges_shown": [list(edge) for edge in self.shown.edges],
            "explained": [{**vars(one), "cells": [list(cell) for cell in one.cells]} for one in self.explained],
        }


def find_network(study: Finished) -> NetworkFound | None:
    """The network of the winner; None if no part of it is one."""
    model = study.model.model_
    parts = model.members_ if isinstance(model, Blend) else [model]
    pipeline = next((part for part in parts if isinstance(part[-1], BayesianNetworkClassifier)), None)
    if pipeline is None:
        return None
    learner = pipeline[-1]
    names = _names(pipeline, study.task.target)
    renamed = dict(zip(learner.network_.nodes, names, strict=True))
    network = BayesianNetwork(
        {renamed[node]: [renamed[one] for one in learner.network_.parents(node)] for node in learner.network_.nodes},
        {renamed[node]: learner.network_.states(node) for node in learner.network_.nodes},
    )
    blanket = [renamed[node] for node in learner.network_.markov_blanket(learner.target_)]
    learned = study.frame[study.split.learn[:_SAMPLE]]
    weights = np.abs(_parts_of_odds(pipeline, learned)).mean(axis=(0, 1))[:-1]
    kept = [names[place] for place in np.argsort(-weights, kind="stable")[: MOST_NODES - 1]]
    shown = network if len(names) <= MOST_NODES else _part(network, [*kept, names[-1]])
    return NetworkFound(names[-1], blanket, shown, len(names), _explained(study, pipeline, names))


def _names(pipeline: Pipeline, target: str) -> list[str]:
    """Names of the columns as the encoder gives them, and of the target; none twice."""
    names: list[str] = []
    for name in [*map(str, pipeline[0].get_feature_names_out()), target]:
        names.append(name if name not in names else f"{name} ({len(names)})")
    return names


def _part(network: BayesianNetwork, names: Sequence[str]) -> BayesianNetwork:
    """The graph of some nodes alone."""
    parents = {name: [one for one in network.parents(name) if one in names] for name in names}
    return BayesianNetwork(parents, {name: network.states(name) for name in names})


def _parts_of_odds(pipeline: Pipeline, frame: Any) -> NDArray[np.float64]:
    """What every column adds to the log-odds of every class against the first: rows, classes, columns.

    The last column is what is known before any cell.
    """
    learner = pipeline[-1]
    told = learner.explain(pipeline[0].transform(frame))
    values = told.drop("row", "class", "log_odds", "before").to_numpy()
    values = np.column_stack([values, told["before"].to_numpy()])
    others = len(learner.classes_) - 1
    parts = np.zeros((frame.height, others + 1, values.shape[1]))
    parts[:, 1:] = values.reshape(frame.height, others, -1)
    return parts


def _explained(study: Finished, pipeline: Pipeline, names: Sequence[str]) -> list[Explained]:
    """The test rows to whose true label the model gave the least; nothing of sealed ones."""
    given = study.evaluation.probabilities
    if study.sealed or given is None:
        return []
    truth = study.evaluation.truth
    of_truth = given[np.arange(len(given)), study.task.positions(truth)]
    hardest = np.argsort(of_truth, kind="stable")[:HARDEST]
    frame = study.frame[study.split.test[hardest]]
    classes = pipeline[-1].classes_
    return [
        _of_row(parts, str(truth[row]), classes, names, cells)
        for parts, row, cells in zip(_parts_of_odds(pipeline, frame), hardest, frame.to_dicts(), strict=True)
    ]


def _of_row(
    parts: NDArray[np.float64], truth: str, classes: Array, names: Sequence[str], cells: dict[str, Any]
) -> Explained:
    """Prediction against truth, or against the next likely label where they agree."""
    odds, labels = parts.sum(axis=1), [str(label) for label in classes]
    first, second = np.argsort(-odds, kind="stable")[:2]
    rival = second if labels[first] == truth else labels.index(truth)
    added = parts[first] - parts[rival]
    largest = np.argsort(-np.abs(added[:-1]), kind="stable")[:MOST_CELLS]
    told = [(names[place], _cell(names[place], cells), float(added[place])) for place in largest if added[place]]
    return Explained(truth, labels[first], labels[rival], float(added.sum()), float(added[-1]), told)


def _cell(name: str, cells: dict[str, Any]) -> str:
    """What the row has there, as the table says it; nothing of columns that the encoder made."""
    if name not in cells:
        return ""
    value = cells[name]
    return "missing" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
