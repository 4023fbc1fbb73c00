"""What both bagging learners share: drawing rows and columns, fitting the members, routing, storage."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_consistent_length, check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from certus.base import Learner, saw_table, warn_user
from certus.base.inputs import (
    Table,
    TableLike,
    TargetLike,
    WeightsLike,
    check_target,
    check_weights,
    check_X,
    require_target,
)
from certus.base.params import (
    Boolean,
    Constraints,
    Exactly,
    Fraction,
    HasMethods,
    InstanceOf,
    Interval,
    RandomState,
    Verbosity,
)
from certus.ensemble.bagged.bags import Bags, bag_size
from certus.ensemble.bagged.member_sequence import MemberSequence
from certus.ensemble.bagged.members import fit_members, set_seeds
from certus.trees.growing import DecisionTree

LARGEST_SEED = np.iinfo(np.int32).max


class Bagging(MemberSequence, Learner):
    """Base of the bagging learners; use `BaggingClassifier` or `BaggingRegressor`.

    Parameters
    ----------
    n_estimators : int
        Number of members.
    max_samples : int or float
        Rows drawn for each member; a float is a fraction of the rows (of their total weight, up to 16 per row). None
        means as many as there are, where whole weights count as repeated rows.
    max_features : int or float
        Columns drawn for each member; a float is a fraction of the columns.
    bootstrap : bool
        Whether rows are drawn with replacement.
    bootstrap_features : bool
        Whether columns are drawn with replacement.
    warm_start : bool
        Whether to keep the members of the last fit and only fit the ones that are still missing.
    n_jobs : int
        Processes (or threads, as `joblib.parallel_config` says) that fit members at the same time; None means one,
        where our own learners use all cores by themselves.
    random_state : int, RandomState, Generator or None
        Seed of the draws and of members with a ``random_state``.
    verbose : int
        Accepted for compatibility.

    Attributes
    ----------
    estimator_ : learner
        What is bagged, not fitted.
    estimators_ : list of learners
        The fitted members.
    estimators_features_ : list of ndarray
        The columns of each member.
    estimators_samples_ : list of ndarray
        The rows of each member, drawn again on access.
    seeds_ : ndarray of shape (n_estimators,)
        What each member's draws come from.
    bag_rows_, bag_size_ : int
        Rows of the training table and of each bag.
    bag_weights_ : ndarray of shape (n_samples,) or None
        Weights by which the rows were drawn.
    """

    _takes_sparse = True  # if its members do
    _constraints: ClassVar[Constraints] = {
        "estimator": [HasMethods("fit", "predict"), Exactly(None)],
        "n_estimators": [Interval(1, None, integer=True)],
        "max_samples": [Exactly(None), Interval(1, None, integer=True), Fraction(0, 1, closed="right")],
        "max_features": [Interval(1, None, integer=True), Fraction(0, 1, closed="right")],
        "bootstrap": [Boolean()],
        "bootstrap_features": [Boolean()],
        "oob_score": [Boolean()],
        "warm_start": [Boolean()],
        "n_jobs": [InstanceOf(int, np.integer), Exactly(None)],
        "random_state": [RandomState()],
        "verbose": [Verbosity()],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "estimator_",
        "estimators_",
        "estimators_features_",
        "seeds_",
        "bag_rows_",
        "bag_size_",
        "bag_weights_",
        "oob_score_",
    )

    estimator: Any
    n_estimators: int
    max_samples: int | float | None
    max_features: int | float
    bootstrap: bool
    bootstrap_features: bool
    oob_score: bool
    warm_start: bool
    n_jobs: int | None
    random_state: Any

    estimator_: Any
    estimators_: list[Any]
    estimators_features_: list[NDArray[np.int64]]
    seeds_: NDArray[np.uint64]
    bag_rows_: int
    bag_size_: int
    bag_weights_: NDArray[np.float64] | None
    n_features_in_: int

    # -- what the two kinds differ in ---------------------------------------------------------------------------
    def _member(self) -> Any:
        """The learner that is bagged."""
        raise NotImplementedError

    def _encode(self, y: NDArray[Any]) -> NDArray[Any]:
        """The target that the members are fitted to."""
        raise NotImplementedError

    def _judge_out_of_bag(self, X: TableLike, y: NDArray[Any], weighted: bool) -> None:
        """Set ``oob_score_``, the out-of-bag predictions and ``report_``."""
        raise NotImplementedError

    # -- fitting ------------------------------------------------------------------------------------------------
    def _fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike, parameters: dict[str, Any]) -> None:
        table = self._check_table(X, reset=True)
        require_target(self, y)
        y = check_target(self, y, multi_output=True)
        check_consistent_length(table, y)
        y = self._encode(y)
        weights = check_weights(self, sample_weight, table)
        if weights is not None and not self.bootstrap:
            warn_user(
                f"When fitting {type(self).__name__} with sample_weight it is recommended to use bootstrap=True, "
                f"got {self.bootstrap}."
            )
        self.estimator_ = self._member()
        routed = self._routed("fit", parameters).get("fit", {})
        columns = self._check_draws(table, weights)
        new = self._new_seeds()
        if len(new):
            drawn_columns = [self._draw_columns(int(seed), columns) for seed in new]
            members = self._fit_members(table, y, new, drawn_columns, routed)
            self.estimators_ = [*self.estimators_, *members]
            self.estimators_features_ = [*self.estimators_features_, *drawn_columns]
            self.seeds_ = np.concatenate([self.seeds_, new])
        self._finish(table, y, weights is not None)

    def _finish(self, X: TableLike, y: NDArray[Any], weighted: bool) -> None:
        raise NotImplementedError

    def _check_draws(self, X: Table, weights: NDArray[np.float64] | None) -> int:
        """Set how rows are drawn; returns how many columns each member sees."""
        self.bag_rows_, self.bag_weights_ = X.shape[0], weights
        self.bag_size_ = bag_size(X.shape[0], self.max_samples, weights)
        if not self.bootstrap and self.bag_size_ > X.shape[0]:
            raise ValueError(
                f"Effective max_samples={self.bag_size_} must be <= n_samples={X.shape[0]} to be able to sample "
                "without replacement."
            )
        whole = isinstance(self.max_features, Integral)
        columns = int(self.max_features) if whole else int(self.max_features * self.n_features_in_)
        if columns > self.n_features_in_:
            raise ValueError(
                f"max_features must be <= n_features: {columns} is more than the {self.n_features_in_} columns of X."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError(
                "Out of bag estimation only available if bootstrap=True.\nHint: set bootstrap=True, or oob_score=False."
            )
        if self.warm_start and self.oob_score:
            raise ValueError("Out of bag estimate only available if warm_start=False.\nHint: set one of them only.")
        return max(1, columns)

    def _new_seeds(self) -> NDArray[np.uint64]:
        """Seeds of the members that are still missing; forgets the others unless they are to be kept."""
        if not self.warm_start or "estimators_" not in vars(self):
            self.estimators_, self.estimators_features_ = [], []
            self.seeds_ = np.empty(0, dtype=np.uint64)
        self.__dict__.pop("oob_score_", None)
        more = self.n_estimators - len(self.estimators_)
        if more < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least "
                f"len(estimators_)={len(self.estimators_)} with warm_start=True."
            )
        if more == 0:
            warn_user("Warm-start fitting without increasing n_estimators does not fit new trees.")
        if isinstance(self.random_state, np.random.Generator):
            draws = self.random_state.integers(0, LARGEST_SEED, size=self.n_estimators)
        else:
            draws = check_random_state(self.random_state).randint(LARGEST_SEED, size=self.n_estimators)
        return np.asarray(draws, dtype=np.uint64)[len(self.estimators_) :]

    def _draw_columns(self, seed: int, count: int) -> NDArray[np.int64]:
        random = np.random.RandomState(seed)
        if self.bootstrap_features:
            return random.randint(0, self.n_features_in_, count).astype(np.int64)
        if count == self.n_features_in_:
            return np.arange(count, dtype=np.int64)
        return random.permutation(self.n_features_in_)[:count].astype(np.int64)

    def _draw_rows(self, seeds: NDArray[np.uint64]) -> list[NDArray[Any]]:
        if self.bootstrap:
            return list(Bags(self.bag_rows_, self.bag_size_, self.bag_weights_).drawn(seeds))
        weights = self.bag_weights_
        shares = None if weights is None else weights / weights.sum()
        return [
            np.random.RandomState(int(seed)).choice(self.bag_rows_, self.bag_size_, replace=False, p=shares)
            for seed in seeds
        ]

    def _fit_members(
        self, X: TableLike, y: NDArray[Any], seeds: NDArray[np.uint64], columns: list[NDArray[np.int64]], routed: Any
    ) -> list[Any]:
        members = [set_seeds(clone(self.estimator_), int(seed)) for seed in seeds]
        for member in members:
            if isinstance(member, DecisionTree):
                member._random_ties = True
        rows = self._draw_rows(seeds)
        by_weight = has_fit_parameter(self.estimator_, "sample_weight")
        jobs = 1 if self.n_jobs is None else self.n_jobs
        groups = np.array_split(np.arange(len(seeds)), min(len(seeds), 4 * max(1, abs(jobs))))
        results = Parallel(n_jobs=jobs)(
            delayed(fit_members)(
                [members[i] for i in group],
                X,
                y,
                [rows[i] for i in group],
                [columns[i] for i in group],
                by_weight=by_weight,
                parameters=routed,
            )
            for group in groups
        )
        return [member for group in results for member in group]

    # -- the fitted ensemble --------------------------------------------------------------------------------------
    @property
    def estimators_samples_(self) -> list[NDArray[Any]]:
        """The rows that each member was fitted to, drawn again from its seed."""
        check_is_fitted(self)
        return self._draw_rows(self.seeds_)

    def _outside(self) -> Iterator[tuple[Any, NDArray[np.int64], NDArray[np.bool_]]]:
        """Each member with its columns and which rows were not in its bag."""
        for member, columns, rows in zip(
            self.estimators_, self.estimators_features_, self.estimators_samples_, strict=True
        ):
            outside = np.ones(self.bag_rows_, dtype=bool)
            outside[rows] = False
            yield member, columns, outside

    def _restored(self) -> None:
        if not hasattr(self, "estimators_"):
            return
        if len(self.estimators_) != len(self.estimators_features_):
            raise ValueError("there is not one set of columns per member")
        for member, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            if not isinstance(columns, np.ndarray) or columns.ndim != 1 or columns.dtype.kind not in "iu":
                raise ValueError("the columns of a member are not a vector of numbers of columns")
            if not len(columns) or columns.min() < 0 or columns.max() >= self.n_features_in_:
                raise ValueError(f"a member names a column outside 0 .. {self.n_features_in_ - 1}")
            if len(columns) != getattr(member, "n_features_in_", len(columns)):
                raise ValueError("a member was trained on another number of columns")
            known, codes = getattr(self, "classes_", None), getattr(member, "classes_", None)
            if known is not None and codes is not None and not np.isin(codes, np.arange(len(known))).all():
                raise ValueError(f"a member predicts a label outside 0 .. {len(known) - 1}")

    def _check_table(self, X: TableLike, *, reset: bool = False) -> Any:
        if self.estimator is None:
            return check_X(self, X, reset=reset, accept_sparse=["csr", "csc"], allow_nan=True)
        table = validate_data(self, X, reset=reset, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=False)
        saw_table(self, table)
        return table

    # -- routing --------------------------------------------------------------------------------------------------
    def _routed(self, method: str, parameters: dict[str, Any]) -> Any:
        """What the members' methods get of the parameters given to ours."""
        if not parameters:
            return {}
        return process_routing(self, method, **parameters).estimator

    def get_metadata_routing(self) -> MetadataRouter:
        """Which parameters of our methods go to which of the members'."""
        member = self._member()
        mapping = MethodMapping().add(caller="fit", callee="fit")
        mapping.add(caller="decision_function", callee="decision_function")
        shares = "predict_proba" if hasattr(member, "predict_proba") else "predict"
        mapping.add(caller="predict", callee=shares).add(caller="predict_proba", callee=shares)
        logs = "predict_log_proba" if hasattr(member, "predict_log_proba") else shares
        mapping.add(caller="predict_log_proba", callee=logs)
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=member, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._member()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags
