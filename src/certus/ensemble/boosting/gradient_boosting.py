"""What both gradient boosting learners with exact trees share: parameters, rounds, early stopping, raw predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.model_selection import train_test_split
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import has_fit_parameter

from certus.base import Iterations, warn_deprecated
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_target, check_weights, require_target
from certus.base.params import Boolean, Constraints, Exactly, Interval, OneOf, Verbosity
from certus.ensemble.boosting.descent_report import descent_report
from certus.ensemble.boosting.early_stopping import Sample
from certus.ensemble.boosting.stage_loop import StageLoop
from certus.ensemble.boosting.staged_trees import StagedTrees
from certus.ensemble.constant_start import ConstantStart
from certus.ensemble.packed_forest import PackedForest
from certus.guarantees import CertificateError, Report
from certus.trees import DecisionTreeRegressor, Tree
from certus.trees.growing import DecisionTree, GrowthParameters, as_float32

TREE_PARAMETERS = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_impurity_decrease",
    "max_features",
    "max_leaf_nodes",
    "ccp_alpha",
)
PRINTED = {"objective": "Train Loss", "improvement": "OOB Improve"}  # scikit-learn's titles
OUTSIDE = ("oob_improvement_", "oob_scores_", "oob_score_")
Numbers = NDArray[np.float64]


class GradientBoosting(GrowthParameters, StagedTrees):
    """Base of the gradient boosting learners with exact trees.

    Parameters
    ----------
    learning_rate : float
        The factor eta of every tree.
    n_estimators : int
        Most rounds.
    subsample : float
        Share of the rows, drawn without replacement, that each tree is grown on.
    criterion : {"squared_error", "friedman_mse"}
        Without effect, as in scikit-learn, where it is deprecated.
    init : learner, "zero" or None
        What boosting starts from: a learner that is fitted first, 0, or the best constant.
    random_state : int, RandomState, Generator or None
        Seed of the drawn rows and columns and of the held-out rows.
    verbose : int
        1 prints a table of the rounds, with ever fewer lines; 2 prints all of them. 0 prints nothing.
    warm_start : bool
        Go on from the last fit with a larger ``n_estimators``.
    validation_fraction : float
        Share of the rows that is held out, if ``n_iter_no_change`` is set.
    n_iter_no_change : int
        Stop when the loss of the held-out rows has not fallen by ``tol`` for so many rounds; None: never.
    tol : float
        What counts as falling.

    Attributes
    ----------
    forests_ : list of PackedForest
        The trees as arrays.
    init_ : learner or "zero"
        What boosting started from.
    train_score_ : ndarray of shape (n_estimators_,)
        Loss after each round of the rows that its tree was grown on.
    history_ : ndarray of shape (n_estimators_ + 1,)
        The loss before the first round, then as in ``train_score_``. No round raises the loss of its own rows: its
        trees are shrunk by halves until it does not. A warm start on other rows begins it anew.
    oob_improvement_, oob_scores_ : ndarray of shape (n_estimators_,)
        Fall of the loss, and the loss, on the rows outside each round's sample; only if ``subsample`` < 1.
    oob_score_ : float
        The last of ``oob_scores_``.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the squared error of the residuals.
    max_features_ : int
        Columns searched at each node.
    random_draws_ : ndarray of shape (625,)
        State of the random numbers after the last round, for a warm start.
    """

    _constraints: ClassVar[Constraints] = {
        **{name: DecisionTree._constraints[name] for name in (*TREE_PARAMETERS, "random_state")},
        "learning_rate": [Interval(0, None)],
        "n_estimators": [Interval(1, None, integer=True)],
        "subsample": [Interval(0, 1, closed="right")],
        "criterion": [OneOf("squared_error", "friedman_mse", "deprecated")],
        "verbose": [Verbosity()],
        "warm_start": [Boolean()],
        "validation_fraction": [Interval(0, 1, closed="neither")],
        "n_iter_no_change": [Interval(1, None, integer=True), Exactly(None)],
        "tol": [Interval(0, None)],
    }
    _state: ClassVar[tuple[str, ...]] = (*StagedTrees._state, "train_score_", *OUTSIDE, "history_", "random_draws_")

    loss: str
    n_estimators: int
    subsample: float
    warm_start: bool
    validation_fraction: float
    n_iter_no_change: int | None
    tol: float

    train_score_: Numbers
    history_: Numbers
    oob_improvement_: Numbers
    oob_scores_: Numbers
    oob_score_: float
    random_draws_: NDArray[np.uint32]

    # -- what the two learners define -------------------------------------------------------------------------
    def _encode_target(self, y: NDArray[Any], weights: Numbers | None) -> Numbers:
        raise NotImplementedError

    # -- fitting ------------------------------------------------------------------------------------------------
    def _fit(
        self, X: TableLike, y: TargetLike, sample_weight: WeightsLike, monitor: Callable[..., bool] | None
    ) -> None:
        if self.criterion != "deprecated":
            warn_deprecated("criterion of boosting")
        begun = self.warm_start and "forests_" in vars(self)
        if not begun:
            self._clear()
        sample = self._training_sample(X, y, sample_weight)
        self._loss = self._make_loss()
        self.n_trees_per_iteration_ = self._loss.outputs
        source = self._random_source()
        train, held_out = self._split(sample, source)
        if begun and self.n_estimators < self.n_estimators_:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least estimators_.shape[0]="
                f"{self.n_estimators_} with warm_start=True."
            )
        trees: list[list[tuple[Tree, int]]] = self._grown_trees() if begun else [[] for _ in range(self._loss.outputs)]
        if begun:
            random = _continued(self.random_draws_)
        else:
            random = check_random_state(source)
            self._start(train)
        loop = StageLoop(
            self._loss,
            train,
            self._raw_so_far(train.X, trees),
            tree=self._tree_learner(),
            learning_rate=self.learning_rate,
            subsample=self.subsample,
            random=random,
        )
        self.max_features_ = loop.max_features
        self._make_room()
        self._run(loop, trees, held_out, monitor, (X, y))
        self.random_draws_ = _saved(random)
        self._keep_history(loop.losses)

    def _run(
        self,
        loop: StageLoop,
        trees: list[list[tuple[Tree, int]]],
        held_out: Sample | None,
        monitor: Callable[..., bool] | None,
        data: tuple[Any, Any],
    ) -> None:
        """All rounds, until there are enough, or the monitor, a callback or the held-out rows stop."""
        judged = None if held_out is None else self._raw_so_far(held_out.X, trees)
        recent = np.full(self.n_iter_no_change or 0, np.inf)
        done = len(trees[0])
        with Iterations(self, self.n_estimators, *data, titles=PRINTED, begun=done, runs_to_limit=True) as iterations:
            for number in range(done, self.n_estimators):
                loop.draw_rows()
                before = loop.outside_score() if number == 0 else self._outside_score(number - 1)
                new = loop.run()
                for own, added in zip(trees, new, strict=True):
                    own.append(added)
                done = number + 1
                self._keep_scores(loop, number, before)
                stops = iterations.step(**self._facts(number))
                if monitor is not None:
                    self._keep_trees(trees)
                    if monitor(number, self, self._told(loop, number, held_out)):
                        break
                if judged is not None and self._gets_worse(held_out, judged, new, recent, number):
                    break
                if stops:
                    break
        self._trim(done)
        self._keep_trees(trees)

    def _keep_history(self, losses: list[float]) -> None:
        """Set ``history_`` and the report; losses of samples, or of a loss that changes, have no common measure."""
        old = vars(self).get("history_", np.empty(0))
        goes_on = len(old) > 0 and len(losses) > 0 and np.isclose(old[-1], losses[0], rtol=1e-9, atol=0.0)
        self.history_ = np.append(old[:-1], losses) if goes_on else np.array(losses if losses else old)
        comparable = self.subsample >= 1.0 and self._loss.fixed
        first = self.n_estimators_ + 1 - len(self.history_)
        self.report_ = descent_report(self.history_.tolist(), first) if comparable else Report()

    def _training_losses(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> Numbers:
        """Losses of the training rows before the first and after each round, from the trees alone."""
        if self.n_iter_no_change is not None and not isinstance(self.random_state, int):
            raise CertificateError("the held-out rows were drawn without a seed: nobody knows the training rows")
        sample = self._training_sample(X, y, sample_weight, reset=False)
        train, _ = self._split(sample, self.random_state)
        stages = [self._raw_start(train.X), *self._staged_raw_predict(train.X)]
        return np.array([self._loss.score(train.y, raw, train.weights) for raw in stages])

    def _facts(self, number: int) -> dict[str, float]:
        """What a round tells the callbacks."""
        facts = {"objective": float(self.train_score_[number])}
        if self.subsample < 1.0:
            facts["improvement"] = float(self.oob_improvement_[number])
        return facts

    def _gets_worse(
        self, held_out: Any, judged: Numbers, new: list[tuple[Tree, int]], recent: Numbers, number: int
    ) -> bool:
        """Whether the loss of the held-out rows is not lower by ``tol`` than one of the last rounds'."""
        self._add(held_out.X, judged, new)
        loss = self._loss.score(held_out.y, judged, held_out.weights)
        if not (loss + self.tol < recent).any():
            return True
        recent[number % len(recent)] = loss
        return False

    def _training_sample(
        self, X: TableLike, y: TargetLike, sample_weight: WeightsLike, *, reset: bool = True
    ) -> Sample:
        table = as_float32(self, X, reset=reset, accept_sparse="csc")
        require_target(self, y)
        target = check_target(self, y, numeric=not is_classifier(self))
        check_consistent_length(table, target)
        weights = check_weights(self, sample_weight, table)
        sample = Sample(
            table.tocsr() if sparse.issparse(table) else table, self._encode_target(target, weights), weights
        )
        return sample if weights is None or weights.all() else sample.take(np.flatnonzero(weights))

    def _random_source(self) -> Any:
        if isinstance(self.random_state, np.random.Generator):
            return int(self.random_state.integers(0, 2**31 - 1))
        if (
            isinstance(self.random_state, np.random.RandomState)
            and self.random_state.get_state(legacy=False)["bit_generator"] != "MT19937"
        ):
            return int(self.random_state.randint(0, 2**31 - 1))
        return self.random_state

    def _split(self, sample: Sample, source: Any) -> tuple[Sample, Sample | None]:
        if self.n_iter_no_change is None:
            return sample, None
        train, held_out = train_test_split(
            np.arange(len(sample.y)),
            random_state=source,
            test_size=self.validation_fraction,
            stratify=sample.y if is_classifier(self) else None,
        )
        if is_classifier(self) and len(np.unique(sample.y[train])) != len(np.unique(sample.y)):
            raise ValueError(
                "The training data after the early stopping split are missing some classes.\n"
                "Hint: use another random_state, or a smaller validation_fraction."
            )
        return sample.take(train), sample.take(held_out)

    def _start(self, train: Sample) -> None:
        """Set ``init_``: the model that boosting starts from."""
        if self.init is None:
            self.init_ = ConstantStart(self._loss.best_constant(train.y, train.weights))
        elif isinstance(self.init, str):
            self.init_ = self.init
        else:
            self.init_ = clone(self.init)
            options = {}
            if train.weights is not None:
                if not has_fit_parameter(self.init_, "sample_weight"):
                    raise ValueError(
                        f"The initial estimator {type(self.init_).__name__} does not support sample weights.\n"
                        "Hint: use another init, or no sample_weight."
                    )
                options["sample_weight"] = train.weights
            self.init_.fit(train.X, train.y, **options)

    def _tree_learner(self) -> DecisionTreeRegressor:
        return DecisionTreeRegressor(**{name: getattr(self, name) for name in TREE_PARAMETERS})

    # -- what is kept -------------------------------------------------------------------------------------------
    def _clear(self) -> None:
        for name in (*self._state, "_trees"):
            if name in vars(self):
                delattr(self, name)

    def _make_room(self) -> None:
        """Scores of all rounds, 0 for those that are not there yet."""
        judged_outside = self.subsample < 1.0 or "oob_scores_" in vars(self)
        for name in ("train_score_", *(OUTSIDE[:2] if judged_outside else ())):
            room = np.zeros(self.n_estimators)
            old = vars(self).get(name, np.empty(0))
            room[: len(old)] = old
            setattr(self, name, room)

    def _outside_score(self, number: int) -> float:
        return float(self.oob_scores_[number]) if self.subsample < 1.0 else float("nan")

    def _keep_scores(self, loop: StageLoop, number: int, before: float) -> None:
        self.train_score_[number], outside = loop.scores()
        if self.subsample < 1.0:
            self.oob_scores_[number] = self.oob_score_ = outside
            self.oob_improvement_[number] = before - outside

    def _trim(self, rounds: int) -> None:
        self.n_estimators_ = rounds
        for name in ("train_score_", *OUTSIDE[:2]):
            if name in vars(self):
                setattr(self, name, getattr(self, name)[:rounds])

    def _keep_trees(self, trees: list[list[tuple[Tree, int]]]) -> None:
        """Set ``forests_``; trees that were built with other parameters stay as they are."""
        old = vars(self).get("_trees")
        self.forests_ = [
            PackedForest.of_trees([tree for tree, _ in own], np.array([seed for _, seed in own], dtype=np.uint64))
            for own in trees
        ]
        self.n_estimators_ = len(self.forests_[0])
        self._trees = None
        if self.warm_start:
            built = self._build_trees(0 if old is None else len(old))
            self._trees = built if old is None else np.concatenate([old, built])

    def _grown_trees(self) -> list[list[tuple[Tree, int]]]:
        return [[(own.tree(i), int(own.seeds[i])) for i in range(len(own))] for own in self.forests_]

    def _told(self, loop: StageLoop, number: int, held_out: Sample | None) -> dict[str, Any]:
        """What a monitor is told, under the names that scikit-learn uses."""
        return {
            "i": number,
            "X": loop.train.X,
            "y": loop.train.y,
            "sample_weight": loop.train.weights,
            "sample_mask": np.ones(len(loop.train.y), dtype=bool) if loop.in_bag is None else loop.in_bag,
            "raw_predictions": loop.raw.T,
            "X_val": None if held_out is None else held_out.X,
            "y_val": None if held_out is None else held_out.y,
            "sample_weight_val": None if held_out is None else held_out.weights,
        }


def _saved(random: np.random.RandomState) -> NDArray[np.uint32]:
    """The state of the random numbers as one array."""
    _, keys, place, *_ = random.get_state(legacy=True)
    return np.append(np.asarray(keys, dtype=np.uint32), np.uint32(place))


def _continued(draws: NDArray[np.uint32]) -> np.random.RandomState:
    """Random numbers that go on from a saved state."""
    random = np.random.RandomState()
    random.set_state(("MT19937", draws[:-1], int(draws[-1]), 0, 0.0))
    return random
