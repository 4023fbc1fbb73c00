"""What the classifier and the regressor of histogram boosting share: parameters and the boosting loop."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import train_test_split
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from certus.base import Iterations, Learner, saw_table
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_target, check_weights, check_X
from certus.base.params import (
    ArrayLike,
    Boolean,
    Constraints,
    Exactly,
    Fraction,
    Function,
    InstanceOf,
    Interval,
    OneOf,
    RandomState,
    Verbosity,
)
from certus.base.persistence import check_shapes
from certus.ensemble._native_calls.boosting_kernels import Grower, Growth
from certus.ensemble.boosted_trees import BoostedTrees
from certus.ensemble.boosting.boosting_losses import BoostingLoss
from certus.ensemble.boosting.category_groups import Groups, group_categories, grouped
from certus.ensemble.boosting.descent_report import MOST_HALVINGS, descent_report, rises
from certus.ensemble.boosting.early_stopping import Judge, Sample, has_known_predictions, rows_for_scores
from certus.ensemble.forests.binning import binned
from certus.trees.growing import Categories, categorical_mask, counted_weights, encode, learn_categories

ROWS_FOR_EARLY_STOPPING = 10_000
MIN_HESSIAN = 1e-3  # of each side of a division, in weights of a typical row
Trees = list[tuple[NDArray[Any], NDArray[np.uint64]]]  # nodes and sets of categories of each tree


class HistGradientBoosting(Learner):
    """Base of histogram boosting; use `HistGradientBoostingClassifier` or `HistGradientBoostingRegressor`.

    Parameters
    ----------
    learning_rate : float
        Shrinks every tree.
    max_iter : int
        Most rounds.
    max_leaf_nodes : int
        Most leaves of a tree; None for no limit.
    max_depth : int
        Most divisions between the root and a leaf.
    min_samples_leaf : int
        Rows that every leaf keeps; weights do not count.
    l2_regularization : float
        The lambda above.
    max_features : float
        Share of the columns drawn at random and searched at each node.
    max_bins : int
        Most bins of a column, besides the one for missing values.
    categorical_features : array-like of bool, int or str, or "from_dtype"
        Categorical columns as a mask, as numbers or as names; "from_dtype" takes those of a categorical type.
    interaction_cst : {"pairwise", "no_interactions"} or sequence of sets of int
        Which columns may meet on the path to a leaf.
    warm_start : bool
        Go on from the last fit with a larger ``max_iter``.
    early_stopping : "auto" or bool
        Stop when the score no longer improves; "auto" does so for more than 10 000 rows.
    scoring : str, callable or None
        The score; "loss" is minus the loss, None the learner's ``score``.
    validation_fraction : int or float
        Rows (or their share) held out for the score; None scores the training rows.
    n_iter_no_change : int
        Rounds without improvement before stopping.
    tol : float
        What counts as improvement.
    verbose : int
        1 prints a table of the rounds, with ever fewer lines; 2 prints all of them. 0 prints nothing.
    random_state : int, RandomState, Generator or None
        Seed of the held-out rows, of the rows for quantiles and of ``max_features``.
    growth : {"best_first", "depth_wise"}
        Which node is divided next: the one that gains most, or the shallowest.
    rare_categories : {"refuse", "group"}
        What happens to a categorical column with more than ``max_bins`` categories: an error, or half of the bins
        go to the heaviest ones and the others share the rest with categories of similar mean target. Those that
        weigh less than ten rows, and those that training did not contain, are treated like missing values.

    Attributes
    ----------
    train_score_, validation_score_ : ndarray of shape (n_iter_ + 1,)
        Scores before the first and after each round; empty without early stopping.
    history_ : ndarray of shape (n_iter_ + 1,)
        Loss of the training rows before the first and after each round; no round raises it. Terms that do not depend
        on the model are left out. A warm start on other rows begins it anew.
    do_early_stopping_ : bool
        Whether early stopping was on.
    is_categorical_ : ndarray of shape (n_features_in_,) or None
        Which columns are categorical.
    categories_ : list of ndarray or None
        Categories of these columns.
    category_bins_ : list of ndarray or None
        Bins of the categories of a column in which some share one, -1 for missing; None without such columns.
    trees_ : BoostedTrees
        The trees as arrays.
    """

    _constraints: ClassVar[Constraints] = {
        "learning_rate": [Interval(0, None, closed="neither")],
        "max_iter": [Interval(1, None, integer=True)],
        "max_leaf_nodes": [Interval(2, None, integer=True), Exactly(None)],
        "max_depth": [Interval(1, None, integer=True), Exactly(None)],
        "min_samples_leaf": [Interval(1, None, integer=True)],
        "l2_regularization": [Interval(0, None)],
        "max_features": [Fraction(0, 1, closed="right")],
        "max_bins": [Interval(2, 255, integer=True)],
        "categorical_features": [ArrayLike(), OneOf("from_dtype"), Exactly(None)],
        "rare_categories": [OneOf("refuse", "group")],
        "monotonic_cst": [ArrayLike(), InstanceOf(dict), Exactly(None)],
        "interaction_cst": [InstanceOf(list, tuple), OneOf("pairwise", "no_interactions"), Exactly(None)],
        "warm_start": [Boolean()],
        "early_stopping": [Boolean(), OneOf("auto")],
        "scoring": [InstanceOf(str), Function(), Exactly(None)],
        "validation_fraction": [
            Fraction(0, 1, closed="neither"),
            Interval(1, None, integer=True),
            Exactly(None),
        ],
        "n_iter_no_change": [Interval(1, None, integer=True)],
        "tol": [Interval(0, None)],
        "verbose": [Verbosity()],
        "random_state": [RandomState()],
        "growth": [OneOf("best_first", "depth_wise")],
    }
    _predicts_without_blas = True
    _state: ClassVar[tuple[str, ...]] = (
        "trees_",
        "baseline_",
        "n_iter_",
        "n_trees_per_iteration_",
        "train_score_",
        "validation_score_",
        "history_",
        "do_early_stopping_",
        "is_categorical_",
        "categories_",
        "category_bins_",
        "_holds_out",
        "_random_seed",
        "_columns_seed",
    )

    loss: Any
    learning_rate: float
    max_iter: int
    max_leaf_nodes: int | None
    max_depth: int | None
    min_samples_leaf: int
    l2_regularization: float
    max_features: float
    max_bins: int
    categorical_features: Any
    rare_categories: str
    monotonic_cst: Any
    interaction_cst: Any
    warm_start: bool
    early_stopping: bool | str
    scoring: Any
    validation_fraction: int | float | None
    n_iter_no_change: int
    tol: float
    random_state: Any
    growth: str

    trees_: BoostedTrees
    baseline_: NDArray[np.float64]
    n_iter_: int
    n_trees_per_iteration_: int
    train_score_: Any
    validation_score_: Any
    history_: NDArray[np.float64]
    categories_: Categories | None
    category_bins_: Groups | None = None
    is_categorical_: NDArray[np.bool_] | None

    # Set while a scorer judges the model during fit: rows are numbers already, raw predictions may be known.
    _in_fit = False
    _holds_out = False
    _known_raw: NDArray[np.float64] | None = None

    # --- what the two learners define ---------------------------------------------------------------------

    def _encode_target(self, y: NDArray[Any], *, reset: bool) -> NDArray[np.float64]:
        raise NotImplementedError

    def _make_loss(self) -> BoostingLoss:
        raise NotImplementedError

    def _class_weights(self, y: NDArray[np.float64]) -> NDArray[np.float64] | None:
        return None

    def _decode_target(self, y: NDArray[np.float64]) -> NDArray[Any]:
        return y

    # --- fitting ------------------------------------------------------------------------------------------

    def _fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike, held_out: tuple[Any, Any, Any]) -> None:
        sample = self._sample(X, y, sample_weight, reset=True)
        validation = self._check_validation(*held_out)
        if not (self.warm_start and hasattr(self, "trees_")):
            rng = check_random_state(self.random_state)
            self._random_seed = int(rng.randint(np.iinfo(np.uint32).max, dtype="u8"))
            self._columns_seed = int(rng.randint(np.iinfo(np.uint32).max, dtype="u8"))
        self.do_early_stopping_ = (
            len(sample.y) > ROWS_FOR_EARLY_STOPPING if self.early_stopping == "auto" else bool(self.early_stopping)
        )
        self._holds_out = self.do_early_stopping_ and validation is None and self.validation_fraction is not None
        train, kept = self._training_part(sample)
        self._group_rare_categories(train, validation if kept is None else kept)
        self._boost(train, (validation if kept is None else kept) if self.do_early_stopping_ else None, X, y)

    def _sample(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike, *, reset: bool) -> Sample:
        """The rows as numbers, weighted by themselves and by their classes."""
        table = self._check_rows(X, reset=reset)
        target = self._encode_target(check_target(self, y), reset=reset)
        check_consistent_length(table, target)
        weights = check_weights(self, sample_weight, table)
        by_class = self._class_weights(target)
        if by_class is not None:
            weights = by_class if weights is None else weights * by_class
        return Sample(table, target, weights)

    def _training_part(self, sample: Sample) -> tuple[Sample, Sample | None]:
        """Rows to learn from, all of which have a weight, and those held out by ``validation_fraction``."""
        train, held_out = self._split(sample) if self._holds_out else (sample, None)
        if train.weights is not None and not train.weights.all():
            train = train.take(np.flatnonzero(train.weights))
        return train, held_out

    def _boost(self, train: Sample, validation: Sample | None, X: TableLike, y: TargetLike) -> None:
        counted = counted_weights(train.weights)
        train = Sample(train.X, train.y, counted.weights)
        loss = self._make_loss()
        trees = self._start(loss, train)
        raw = np.repeat(self.baseline_[:, None], len(train.y), axis=1)
        self.trees_.add(train.X, raw)
        history = self._begun_history(loss.visit(train.y, train.weights, raw))
        samples = [(train, raw)]
        if validation is not None:
            held_out = np.repeat(self.baseline_[:, None], len(validation.y), axis=1)
            self.trees_.add(validation.X, held_out)
            samples.append((validation, held_out))
        judge = self._judge(loss, samples) if self.do_early_stopping_ else None
        if judge is not None and not trees:
            judge.stops(self.n_iter_no_change, self.tol)
        table = binned(train.X, train.weights, self._levels(), self.max_bins, self._random_seed)
        growth = self._growth(counted.unit, counted.typical, bounded_steps=loss.bounded_steps)
        grower = Grower(table, growth, len(train.y), train.weights)
        with Iterations(self, self.max_iter, X, y, begun=self.n_iter_, runs_to_limit=True) as iterations:
            for number in range(self.n_iter_, self.max_iter):
                new = self._grow_round(loss, train, raw, grower, number)
                history.append(self._descend(loss, train, raw, new, history))
                trees.extend(new)
                self.n_iter_ = number + 1
                stop = judge is not None and self._judge_round(judge, new, trees, samples[1:])
                if iterations.step(objective=history[-1]) or stop:
                    break
        self.trees_ = BoostedTrees(loss.outputs, trees)
        self.train_score_ = np.asarray(self.train_score_, dtype=np.float64)
        self.validation_score_ = np.asarray(self.validation_score_, dtype=np.float64)
        self.history_ = np.array(history)
        self.report_ = descent_report(history, self.n_iter_ + 1 - len(history))

    def _begun_history(self, loss: float) -> list[float]:
        """Losses so far, which end with the present one; those of other rows are dropped."""
        history = self.history_.tolist() if self.n_iter_ > 0 and hasattr(self, "history_") else []
        return [*history[:-1], loss] if history and np.isclose(history[-1], loss, rtol=1e-9, atol=0.0) else [loss]

    def _descend(
        self, loss: BoostingLoss, train: Sample, raw: NDArray[np.float64], new: Trees, history: list[float]
    ) -> float:
        """The loss after a round, whose trees are shrunk by halves (at last to nothing) until it does not rise."""
        now = loss.visit(train.y, train.weights, raw)
        if not rises(history[-1], now, max(history)):
            return now
        step = np.zeros_like(raw)
        BoostedTrees(len(raw), new).add(train.X, step)
        factor = 1.0
        for halving in range(1, MOST_HALVINGS + 1):
            wanted = 0.5**halving if halving < MOST_HALVINGS else 0.0
            raw -= (factor - wanted) * step
            factor = wanted
            now = loss.visit(train.y, train.weights, raw)
            if not rises(history[-1], now, max(history)):
                break
        for nodes, _ in new:
            nodes["value"] *= factor
        return now

    def _training_losses(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> NDArray[np.float64]:
        """Losses of the training rows before the first and after each round, from the trees and in plain NumPy."""
        train, _ = self._training_part(self._sample(X, y, sample_weight, reset=False))
        loss = self._make_loss()
        raw = np.repeat(self.baseline_[:, None], len(train.y), axis=1)
        found = [loss.plain_mean(train.y, train.weights, raw)]
        for first in range(0, len(self.trees_), self.n_trees_per_iteration_):
            self.trees_.add(train.X, raw, first, first + self.n_trees_per_iteration_)
            found.append(loss.plain_mean(train.y, train.weights, raw))
        return np.array(found)

    def _start(self, loss: BoostingLoss, train: Sample) -> Trees:
        """The trees to go on from: none, or those of the last fit."""
        if self.warm_start and hasattr(self, "trees_"):
            if self.max_iter < self.n_iter_:
                raise ValueError(
                    f"max_iter={self.max_iter} must be larger than or equal to n_iter_={self.n_iter_} when "
                    "warm_start==True."
                )
            self.train_score_, self.validation_score_ = list(self.train_score_), list(self.validation_score_)
            return self.trees_.trees()
        self.baseline_ = loss.start(train.y, train.weights)
        self.n_iter_ = 0
        self.n_trees_per_iteration_ = loss.outputs
        self.train_score_, self.validation_score_ = [], []
        self.trees_ = BoostedTrees(loss.outputs, [])
        return []

    def _grow_round(
        self, loss: BoostingLoss, train: Sample, raw: NDArray[np.float64], grower: Grower, number: int
    ) -> Trees:
        """One tree per output; adds them to the raw predictions of the training rows."""
        new = []
        for output, (gradients, hessians) in enumerate(loss.derivatives(train.y)):
            grower.grow(gradients, hessians, number * loss.outputs + output)
            if loss.leaf_share is not None:
                grower.use_quantiles(train.y, raw[output], loss.leaf_share)
            grower.add_values(raw[output])
            new.append(grower.tree())
        return new

    def _group_rare_categories(self, train: Sample, validation: Sample | None) -> None:
        """Columns with more categories than bins; held-out rows have no say in who shares a bin."""
        if not any(known is not None and len(known) > self.max_bins for known in self.categories_ or []):
            return
        classes = len(self.classes_) if is_classifier(self) and len(self.classes_) > 2 else 1
        self.category_bins_ = [
            None
            if known is None or len(known) <= self.max_bins
            else group_categories(train.X[:, column], train.y, train.weights, (len(known), self.max_bins), classes)
            for column, known in enumerate(self.categories_ or [])
        ]
        grouped(train.X, self.category_bins_)
        if validation is not None:
            grouped(validation.X, self.category_bins_)

    def _levels(self) -> list[int | None] | None:
        """How many codes each categorical column has, None for numbers."""
        if self.categories_ is None:
            return None
        bins = self.category_bins_ or [None] * len(self.categories_)
        return [
            None if known is None else len(known) if shared is None else int(shared.max(initial=-1)) + 1
            for known, shared in zip(self.categories_, bins, strict=True)
        ]

    def _growth(self, weight_unit: float, typical_weight: float, *, bounded_steps: bool) -> Growth:
        signs = self._monotone_signs()
        return Growth(
            max_leaves=-1 if self.max_leaf_nodes is None else int(self.max_leaf_nodes),
            max_depth=-1 if self.max_depth is None else int(self.max_depth),
            learning_rate=float(self.learning_rate),
            column_share=float(self.max_features),
            by_level=self.growth == "depth_wise",
            seed=self._columns_seed,
            min_rows=float(self.min_samples_leaf),
            l2=float(self.l2_regularization) / weight_unit,
            min_hessian=MIN_HESSIAN * typical_weight,
            bounded_steps=bounded_steps,
            monotone=signs.tolist() if signs.any() else [],
            interactions=self._interaction_sets(),
        )

    # --- early stopping -----------------------------------------------------------------------------------

    def _split(self, sample: Sample) -> tuple[Sample, Sample]:
        """Training rows and held-out rows, the same ones whenever a fit goes on from the last.

        The only row of a class is never held out.
        """
        rows, alone, labels = np.arange(len(sample.y)), np.empty(0, dtype=np.intp), None
        if is_classifier(self):
            codes = sample.y.astype(np.intp)
            single = np.bincount(codes)[codes] == 1
            rows, alone = rows[~single], rows[single]
            labels = sample.y[rows]
        train, held_out = train_test_split(
            rows, test_size=self.validation_fraction, stratify=labels, random_state=self._random_seed
        )
        return sample.take(np.concatenate([train, alone])), sample.take(held_out)

    def _judge(self, loss: BoostingLoss, samples: list[tuple[Sample, NDArray[np.float64]]]) -> Judge:
        scores = (self.train_score_, self.validation_score_)
        if isinstance(self.scoring, str) and self.scoring == "loss":
            return Judge(lambda sample, raw: -loss.mean(sample.y, sample.weights, raw), samples, slice(None), scores)
        scorer = check_scoring(self, self.scoring)
        reuse = has_known_predictions(self.scoring)

        def score(sample: Sample, raw: NDArray[np.float64]) -> float:
            weights = {} if sample.weights is None else {"sample_weight": sample.weights}
            with self._judged(raw if reuse else None):
                return float(scorer(self, sample.X, self._decode_target(sample.y), **weights))

        rows = rows_for_scores(samples[0][0].y, self._random_seed, is_classifier(self))
        return Judge(score, samples, rows, scores)

    def _judge_round(
        self, judge: Judge, new: Trees, trees: Trees, held_out: list[tuple[Sample, NDArray[np.float64]]]
    ) -> bool:
        for sample, raw in held_out:
            BoostedTrees(len(raw), new).add(sample.X, raw)
        if self.scoring != "loss" and not has_known_predictions(self.scoring):
            self.trees_ = BoostedTrees(self.n_trees_per_iteration_, trees)  # for a scorer that predicts anew
        return judge.stops(self.n_iter_no_change, self.tol)

    @contextmanager
    def _judged(self, raw: NDArray[np.float64] | None) -> Iterator[None]:
        """While a scorer judges the model during fit: rows are numbers already, raw predictions may be known."""
        self._in_fit, self._known_raw = True, raw
        try:
            yield
        finally:
            del self._in_fit, self._known_raw

    # --- checks -------------------------------------------------------------------------------------------

    def _check_rows(self, X: TableLike, *, reset: bool = False) -> NDArray[Any]:
        """The table as numbers: categories become codes, missing values NaN."""
        if reset:
            self.is_categorical_ = categorical_mask(X, self.categorical_features)
            self.categories_ = self.category_bins_ = None
        if self.is_categorical_ is None:
            return check_X(self, X, reset=reset, allow_nan=True, check_finite=False)
        X = validate_data(self, X, reset=reset, skip_check_array=True)
        if not hasattr(X, "shape"):
            X = np.asarray(X)
        if reset:
            most = None if self.rare_categories == "group" else self.max_bins
            self.categories_ = learn_categories(X, self.is_categorical_, most)
        codes = encode(X, self.categories_)  # type: ignore[arg-type]
        saw_table(self, codes)
        return grouped(codes, self.category_bins_)

    def _check_validation(
        self, X_val: TableLike | None, y_val: TargetLike | None, sample_weight_val: WeightsLike
    ) -> Sample | None:
        if X_val is None and y_val is None:
            return None
        if X_val is None or y_val is None:
            given, other = ("X_val", "y_val") if y_val is None else ("y_val", "X_val")
            raise ValueError(f"{given} is provided, but {other} was not provided.")
        if self.early_stopping is False:
            raise ValueError(
                "X_val and y_val are passed to fit while at the same time early_stopping is False. When passing X_val "
                "and y_val to fit,early_stopping should be set to either 'auto' or True."
            )
        table = self._check_rows(X_val)
        target = self._encode_target(check_target(self, y_val), reset=False)
        check_consistent_length(table, target)
        return Sample(table, target, check_weights(self, sample_weight_val, table))

    def _monotone_signs(self) -> NDArray[np.int8]:
        signs = np.zeros(self.n_features_in_, dtype=np.int8)
        if self.monotonic_cst is None:
            return signs
        if self.n_trees_per_iteration_ > 1:
            raise ValueError("monotonic constraints are not supported for multiclass classification.")
        signs = self._named_signs() if isinstance(self.monotonic_cst, dict) else np.asarray(self.monotonic_cst)
        unexpected = np.setdiff1d(signs, [-1, 0, 1])
        if len(unexpected):
            raise ValueError(
                f"monotonic_cst must be an array-like of -1, 0 or 1. Observed values: {unexpected.tolist()}."
            )
        if signs.shape != (self.n_features_in_,):
            raise ValueError(
                f"monotonic_cst has shape {signs.shape} but the input data X has {self.n_features_in_} features."
            )
        if self.is_categorical_ is not None and signs[self.is_categorical_].any():
            raise ValueError("Categorical features cannot have monotonic constraints.")
        return signs.astype(np.int8)

    def _named_signs(self) -> NDArray[np.int8]:
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            raise ValueError(
                f"{type(self).__name__} was not fitted on data with feature names. Pass monotonic_cst as an integer "
                "array instead."
            )
        unknown = sorted(set(self.monotonic_cst) - set(names))
        if unknown:
            shown = unknown[:5] + (["..."] if len(unknown) > 5 else [])
            raise ValueError(f"monotonic_cst contains {len(unknown)} unexpected feature names: {shown}.")
        for name, sign in self.monotonic_cst.items():
            if sign not in (-1, 0, 1):
                raise ValueError(f"monotonic_cst['{name}'] must be either -1, 0 or 1. Got {sign!r}.")
        return np.array([self.monotonic_cst.get(name, 0) for name in names], dtype=np.int8)

    def _interaction_sets(self) -> list[list[int]]:
        """Which columns may meet on a path, as rows of 0 and 1; columns in no set form one together."""
        if self.interaction_cst is None:
            return []
        columns = self.n_features_in_
        groups: Any = self.interaction_cst
        if isinstance(groups, str):
            size = 1 if groups == "no_interactions" else 2
            groups = itertools.combinations(range(columns), size)
        try:
            sets = [set(group) for group in groups]
        except TypeError:
            raise ValueError(
                f"Interaction constraints must be a sequence of tuples or lists, got: {self.interaction_cst!r}."
            ) from None
        for group in sets:
            if not all(isinstance(column, Integral) and 0 <= int(column) < columns for column in group):
                raise ValueError(
                    "Interaction constraints must consist of integer indices in [0, n_features - 1] = "
                    f"[0, {columns - 1}], specifying the position of features, got invalid indices: {group!r}."
                )
        rest = set(range(columns)).difference(*sets)
        return [[int(column in group) for column in range(columns)] for group in [*sets, *([rest] if rest else [])]]

    # --- prediction ---------------------------------------------------------------------------------------

    def _raw_predict(self, X: Any) -> NDArray[np.float64]:
        """Sum of the trees for every row, outputs x rows."""
        check_is_fitted(self)
        if self._known_raw is not None:
            return self._known_raw
        table = X if self._in_fit else self._check_rows(X)
        raw = np.repeat(self.baseline_[:, None], len(table), axis=1)
        self.trees_.add(table, raw)
        return raw

    def _staged_raw_predict(self, X: TableLike) -> Iterator[NDArray[np.float64]]:
        """The same after 1, 2, … rounds."""
        check_is_fitted(self)
        table = self._check_rows(X)
        raw = np.repeat(self.baseline_[:, None], len(table), axis=1)
        for first in range(0, len(self.trees_), self.n_trees_per_iteration_):
            self.trees_.add(table, raw, first, first + self.n_trees_per_iteration_)
            yield raw.copy()

    def _restored(self) -> None:
        if hasattr(self, "trees_"):
            check_shapes(self, baseline_=(self.trees_.outputs,))
            self.baseline_ = np.asarray(self.baseline_, dtype=np.float64)
            self.trees_.check_columns(self.n_features_in_)
            if self.n_trees_per_iteration_ != self.trees_.outputs:
                raise ValueError("n_trees_per_iteration_ and trees_ have different numbers of outputs.")
            if self.categories_ is not None and len(self.categories_) != self.n_features_in_:
                raise ValueError("categories_ does not have one element per column.")
            self._check_category_bins()

    def _check_category_bins(self) -> None:
        """That a file has a bin for each category of the columns whose categories share bins."""
        if self.category_bins_ is None:
            return
        for known, bins in zip(self.categories_ or [], self.category_bins_, strict=True):
            if bins is not None and (known is None or bins.shape != known.shape or bins.dtype != np.int16):
                raise ValueError("category_bins_ does not fit categories_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
