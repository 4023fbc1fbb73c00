"""A classifier that is a Bayesian network over the label and the columns."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import logsumexp

from certus.base import Classifier, fit_method, predict_method, register, resolve_seed
from certus.base.em import best_climb
from certus.base.inputs import (
    FLOATS,
    ColumnsLike,
    RandomStateLike,
    TableLike,
    TargetLike,
    WeightsLike,
    check_target,
    check_weights,
    check_X,
    require_target,
)
from certus.base.params import ArrayLike, Exactly, InstanceOf, Interval, OneOf, RandomState
from certus.graphical.bayesian_network import BayesianNetwork
from certus.graphical.knowledge import ArcRules
from certus.graphical.learn_structure import climbed_parents
from certus.graphical.learning.columns.cut_points import METHODS
from certus.graphical.learning.columns.feature_states import (
    labeled_columns,
    learned_cuts,
    learned_labels,
    state_codes,
)
from certus.graphical.learning.parameters.incomplete_rows import IncompleteRows, shares
from certus.graphical.learning.parameters.row_sums import RowSums
from certus.graphical.learning.parameters.table_shapes import TableShapes
from certus.graphical.learning.structures.family_scores import SCORES, FamilyScores
from certus.graphical.learning.structures.state_columns import StateColumns
from certus.graphical.learning.structures.tree_search import search_tree
from certus.guarantees import Report

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@register(guarantees=("held-out error bound",), cost="fit O(n p^2), predict O(n p k) for k classes")
class BayesianNetworkClassifier(Classifier):
    """Classifier by a Bayesian network over the label and the columns.

    Predicts argmax_c P(c, cells that are there). Columns of numbers are cut into intervals; cells that are missing, or
    hold a label that training did not see, are summed over, in training by rounds of expectation and maximization.

    Parameters
    ----------
    structure : {"naive", "tan", "hill_climb"} or BayesianNetwork, default="tan"
        The label as parent of all columns; the same with the most likely tree over the columns, given the label; the
        network of highest score that a climb finds; or a network whose nodes are the columns and one more, the label.
    structure_score : {"bic", "aic", "bdeu", "k2", "loglik"}, default="bdeu"
        What "hill_climb" maximizes.
    equivalent_sample_size : float, default=10.0
        Imaginary rows of the prior of "bdeu".
    max_parents : int, default=2
        Most parents of a node for "hill_climb".
    alpha : float, default=1.0
        Imaginary counts of every entry of every table.
    discretizer : {"mdl", "quantile", "width"}, default="mdl"
        How columns of numbers are cut, as in `Discretizer`.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default="from_dtype"
        Columns of labels as a mask, as numbers or as names; "from_dtype" takes those of a data frame with a type of
        categories, texts or truth values. Columns that hold something else than numbers always are.
    random_state : int, RandomState instance or None, default=None
        Seed of the climb's new starts.

    Attributes
    ----------
    network_ : BayesianNetwork
        The network, with its tables. The node of the label is called "class", or what a given network calls it.
    target_ : str
        The node of the label.
    cuts_ : list of ndarray or None
        The cuts of every column of numbers.

    Examples
    --------
    >>> from certus.graphical import BayesianNetworkClassifier
    >>> X = [["sun", 30.0], ["rain", 12.0], ["sun", 28.0], ["rain", None]] * 5
    >>> model = BayesianNetworkClassifier(structure="naive").fit(X, ["out", "in", "out", "in"] * 5)
    >>> print(model.predict([["snow", 29.0], [None, None]]))
    ['out' 'in']
    """

    _constraints = {
        "structure": [OneOf("naive", "tan", "hill_climb"), InstanceOf(BayesianNetwork)],
        "structure_score": [OneOf(*SCORES)],
        "equivalent_sample_size": [Interval(0, None, closed="neither")],
        "max_parents": [Interval(0, None, integer=True), Exactly(None)],
        "alpha": [Interval(0, None)],
        "discretizer": [OneOf(*METHODS)],
        "categorical_features": [ArrayLike(), OneOf("from_dtype"), Exactly(None)],
        "random_state": [RandomState()],
    }
    _state = ("classes_", "network_", "target_", "cuts_", "labels_")

    def __init__(
        self,
        *,
        structure: Any = "tan",
        structure_score: str = "bdeu",
        equivalent_sample_size: float = 10.0,
        max_parents: int | None = 2,
        alpha: float = 1.0,
        discretizer: str = "mdl",
        categorical_features: ColumnsLike = "from_dtype",
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> BayesianNetworkClassifier:
        """Choose the structure and learn the tables."""
        require_target(self, y)
        table = self._read(X, reset=True)
        labels = check_target(self, y)
        if len(labels) != len(table):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {len(table)}, {len(labels)}."
            )
        given = check_weights(self, sample_weight, table)
        weights = np.ones(len(table)) if given is None else np.asarray(given, dtype=np.float64)
        table, labels, weights = table[weights > 0.0], labels[weights > 0.0], weights[weights > 0.0]
        classes = self._encode_labels(labels)
        self.cuts_ = learned_cuts(table, labeled_columns(self, X, table), weights, self.discretizer, classes)
        self.labels_ = learned_labels(table, self.cuts_)
        codes = np.column_stack([state_codes(table, self.cuts_, self.labels_), classes]).astype(np.int32)
        structure = self._structure(codes, weights)
        self.network_ = self._with_tables(structure, codes, weights)
        self.report_ = Report()
        return self

    def _read(self, X: TableLike, *, reset: bool = False) -> NDArray[Any]:
        """The table as numbers if all of it is, else as objects."""
        dtype = FLOATS if np.asarray(X).dtype.kind in "biufc" or hasattr(X, "toarray") else object
        return np.asarray(check_X(self, X, dtype=dtype, reset=reset, allow_nan=True, check_finite=dtype is FLOATS))

    # Structure.

    def _names(self) -> list[str]:
        """The nodes of the columns, in their order, and of the label."""
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        names = names or [f"x{place}" for place in range(self.n_features_in_)]
        if isinstance(self.structure, BayesianNetwork):
            more = [node for node in self.structure.nodes if node not in names]
            if len(more) != 1 or len(self.structure.nodes) != len(names) + 1:
                raise ValueError(
                    f"structure must have the columns and one node more, the label, as nodes; the columns are {names}, "
                    f"the nodes {list(self.structure.nodes)}."
                )
            return [*names, more[0]]
        target = "class"
        while target in names:
            target += "_"
        return [*names, target]

    def _structure(self, codes: Codes, weights: Floats) -> BayesianNetwork:
        names = self._names()
        self.target_ = names[-1]
        labels = [*self.labels_, [label.item() if isinstance(label, np.generic) else label for label in self.classes_]]
        states = dict(zip(names, labels, strict=True))
        if isinstance(self.structure, BayesianNetwork):
            return BayesianNetwork({name: self.structure.parents(name) for name in names}, states)
        target = len(names) - 1
        parents: list[list[int]] = [[target] for _ in names[:-1]] + [[]]
        if self.structure != "naive":
            columns = _with_missing_states(names, labels, codes)
            scores = FamilyScores(columns, self.structure_score, self.equivalent_sample_size, weights)
            if self.structure == "tan":
                parents = search_tree(scores, ArcRules(names, None), target)
            else:
                rules = ArcRules(names, None, self.max_parents)
                parents = climbed_parents(scores, rules, resolve_seed(self.random_state))
        return BayesianNetwork(
            {name: [names[parent] for parent in own] for name, own in zip(names, parents, strict=True)}, states
        )

    def _with_tables(self, structure: BayesianNetwork, codes: Codes, weights: Floats) -> BayesianNetwork:
        shapes = TableShapes(structure)
        model = IncompleteRows(shapes, codes, weights, np.full(shapes.cells, float(self.alpha)))
        values = shares(shapes, model.counted + model.alpha, shapes.uniform())
        if len(model.rows):
            start = np.maximum(values, 1e-12)  # no row may be impossible
            values = best_climb(model, [lambda: start / shapes.row_sums(start)], tol=1e-8, max_iter=200).parameters
        return structure.with_tables(shapes.split(values))

    # Prediction.

    def _joint(self, codes: Codes) -> Floats:
        """``log P(c, cells that are there)`` for every row and class; the last column of the codes is filled in."""
        shapes = TableShapes(self.network_)
        values = np.concatenate([self.network_.table(name).ravel() for name in shapes.nodes])
        found = np.empty((len(codes), len(self.classes_)))
        for place in range(len(self.classes_)):
            codes[:, -1] = place
            found[:, place] = RowSums(shapes, codes, observed_only=True).likelihoods(values)
        return found

    def _codes(self, X: TableLike) -> Codes:
        table = self._read(X)
        codes = state_codes(table, self.cuts_, self.labels_)
        return np.ascontiguousarray(np.column_stack([codes, np.zeros(len(codes), dtype=np.int32)]), dtype=np.int32)

    @predict_method
    def predict_joint_log_proba(self, X: TableLike) -> Floats:
        """``log P(c, cells that are there)`` for every row and class, in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._joint(self._codes(X))

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The most probable label of each row."""
        best: NDArray[Any] = self.classes_[np.argmax(self.predict_joint_log_proba(X), axis=1)]
        return best

    @predict_method
    def predict_proba(self, X: TableLike) -> NDArray[Any]:
        """Probability of each class for each row, in the order of ``classes_``."""
        joint = self.predict_joint_log_proba(X)
        joint[np.isneginf(joint).all(axis=1)] = 0.0  # a row that no class can have tells nothing
        found = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    @predict_method
    def explain(self, X: TableLike) -> pl.DataFrame:
        """What every cell adds to the log-odds of the classes.

        ``log P(c | cells) / P(c0 | cells)`` for a class c against the first one, ``classes_[0]``, as a sum: the odds
        before any cell is known, and what each cell changes given those before it in an order of the network. For
        "naive" and "tan" that is the logarithm of two entries of the column's own table. Missing cells add 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; cells may be missing.

        Returns
        -------
        polars.DataFrame
            For every row and class but the first: "row", "class", "log_odds", "before", and a column per column of X.
            "before" and those of the columns add up to the log-odds.
        """
        codes = self._codes(X)
        names = self._names()
        order = [names.index(node) for node in self.network_.topological_order() if node != self.target_]
        known = np.full_like(codes, -1)
        steps = [self._joint(known.copy())]
        for place in order:
            known[:, place] = codes[:, place]
            steps.append(self._joint(known.copy()))
        odds = [step[:, 1:] - step[:, :1] for step in steps]
        count, others = odds[0].shape
        found: dict[str, Any] = {
            "row": np.repeat(np.arange(count), others),
            "class": np.tile(self.classes_[1:], count).tolist(),
            "log_odds": odds[-1].ravel(),
            "before": odds[0].ravel(),
        }
        added = {place: _change(before, after) for place, (before, after) in zip(order, pairwise(odds), strict=True)}
        found |= {_apart(name, found): added[place] for place, name in enumerate(names[:-1])}
        return pl.DataFrame(found, strict=False)

    def _restored(self) -> None:
        if not hasattr(self, "classes_"):
            return
        width = self.n_features_in_
        nodes = self.network_.nodes
        fits = len(self.cuts_) == len(self.labels_) == width and len(nodes) == width + 1 and nodes[-1] == self.target_
        counts = [*(len(own) for own in self.labels_), len(self.classes_)]
        cut = [own is None or len(own) + 1 == size for own, size in zip(self.cuts_, counts, strict=False)]
        if not fits or [len(self.network_.states(node)) for node in nodes] != counts or not all(cut):
            raise ValueError("network_ must have a node for every column and the label, with their states.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _with_missing_states(names: list[str], labels: list[list[Any]], codes: Codes) -> StateColumns:
    """The columns with a state more where cells are missing: so the search of a structure has complete rows."""
    columns = []
    states = []
    for place, own in enumerate(labels):
        missing = codes[:, place] < 0
        columns.append(np.where(missing, len(own), codes[:, place]))
        states.append((*own, None) if missing.any() else tuple(own))
    return StateColumns(tuple(names), tuple(states), np.ascontiguousarray(np.stack(columns), dtype=np.int32))


def _change(before: Floats, after: Floats) -> Floats:
    """The difference, 0 where odds stay infinite."""
    return np.subtract(after, before, out=np.zeros_like(after), where=after != before).ravel()


def _apart(name: str, taken: dict[str, Any]) -> str:
    """The name, changed if it is taken."""
    while name in taken:
        name += "_"
    return name
