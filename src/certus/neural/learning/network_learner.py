"""Fitting and asking multi-layer networks, whatever their targets are."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from certus.base import Learner, choosing_by_rows, resolve_seed, resolve_threads
from certus.base.inputs import SparseTable, TableLike, check_X, check_Xy
from certus.guarantees import Report
from certus.neural.engine import NetworkEngine
from certus.neural.evidence.training_measures import training_certificates
from certus.neural.learning import pretraining
from certus.neural.learning.descent import StochasticDescent, run_lbfgs
from certus.neural.learning.hidden_layers import HiddenLayers
from certus.neural.learning.member_scores import combined_scores
from certus.neural.learning.network_options import activations_of, check_options, hidden_sizes
from certus.neural.learning.network_parameters import STATE, NetworkParameters
from certus.neural.learning.training_data import OutputPlan, TrainingData

Prior = tuple[NDArray[Any], NDArray[np.int64]]  # parameters, and the rows that they were not trained on
_NORMS = ("scales", "shifts", "running_means", "running_variances")
_HEADS = ("head_coefs", "head_intercepts")
_FACTORS = ("in_factors", "out_factors", "blends")


class NetworkLearner(HiddenLayers, NetworkParameters, Learner):
    """``fit`` and ``partial_fit`` of multi-layer networks; heirs say what targets and outputs are."""

    _takes_sparse = True
    _state: ClassVar[tuple[str, ...]] = STATE

    coefs_: list[NDArray[Any]]
    intercepts_: list[NDArray[Any]]
    members_: list[Any]
    loss_curve_: list[float] | None
    validation_scores_: list[float] | None
    best_validation_score_: float | None
    best_loss_: float | None
    n_outputs_: int
    out_activation_: str
    n_steps_: int
    posterior_scale_: float
    posterior_step_: float
    _network: NetworkEngine

    # ---- what heirs say --------------------------------------------------------------------------------------------
    def _output(self) -> OutputPlan:
        """The last layer, once the targets were read."""
        raise NotImplementedError

    def _hidden_sizes(self) -> tuple[int, ...]:
        """Units of the hidden layers."""
        return hidden_sizes(self)

    def _automatic_batch(self, rows: int) -> int:
        """What batch_size="auto" means."""
        return min(200, rows)

    def _holds_out(self, rows: int) -> bool:
        """Whether rows are held out to judge the epochs by."""
        del rows
        return bool(self.early_stopping)

    def _members(self) -> int:
        """How many networks share the weights; 0: one without factors."""
        return 0

    def _activations(self) -> tuple[str, ...]:
        """Their activations."""
        return activations_of(self)

    def _read(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> TrainingData:
        """Table, targets and weights as the kernels take them."""
        raise NotImplementedError

    def _read_rows(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool, y_numeric: bool = False
    ) -> tuple[Any, Any]:
        """A table that the network can read, and targets of the same length."""
        del sample_weight  # concerns those who learn from the table how to read it
        return check_Xy(self, X, y, accept_sparse="csr", multi_output=True, y_numeric=y_numeric, reset=reset)

    def _validation_targets(self, y: Any) -> NDArray[Any]:
        """Targets of validation rows as `_validation_score` takes them."""
        raise NotImplementedError

    def _validation_score(self, scores: NDArray[Any], y: Any, weights: Any) -> float:
        """Accuracy or R^2 of the scores of validation rows; NaN where scores are not finite."""
        raise NotImplementedError

    # ---- fitting ---------------------------------------------------------------------------------------------------
    def _train(self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any, *, incremental: bool) -> None:
        check_options(self, incremental=incremental)
        first = not hasattr(self, "coefs_") or not (self.warm_start or incremental)
        data = self._read(X, y, sample_weight, first=first)
        if self.n_init > 1 and not incremental:
            self._train_members(X, y, sample_weight, X_val, y_val)
            return
        for name in ("members_", "posterior_scale_", "posterior_step_"):
            self.__dict__.pop(name, None)
        seed = resolve_seed(self.random_state)
        random = (
            np.random.RandomState(seed & 0xFFFFFFFF)
            if isinstance(self.random_state, np.random.Generator)
            else check_random_state(self.random_state)
        )
        engine = self._prepared_engine(data, seed, random, first=first, incremental=incremental)
        if first and self.pretraining is not None:
            pretraining.METHODS[self.pretraining](self, engine, data, random)
        prior = None if incremental else self._train_prior(engine, data, random, seed)
        self._descend(engine, data, random, X_val, y_val, incremental=incremental)
        self._refuse_infinite(engine)
        found = Report() if prior is None else self._certify_posterior(engine, prior, data, seed)
        self._keep(engine)
        self.report_ = found if prior is not None or incremental else self._measured(engine, data)

    # ---- certificates ----------------------------------------------------------------------------------------------
    def _train_prior(
        self, engine: NetworkEngine, data: TrainingData, random: np.random.RandomState, seed: int
    ) -> Prior | None:
        """Train a prior network on a share of the rows, if there is to be a certified posterior."""
        del engine, data, random, seed
        return None

    def _certify_posterior(self, engine: NetworkEngine, prior: Prior, data: TrainingData, seed: int) -> Report:
        """Leave the engine at the mean of the posterior; its certificates."""
        raise NotImplementedError

    def _wrong(self, scores: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.bool_]:
        """For each row whether its label is predicted wrongly."""
        raise NotImplementedError

    def _measured(self, engine: NetworkEngine, data: TrainingData) -> Report:
        """What training alone supports."""
        return Report(training_certificates(self, engine, data))

    def _descend(
        self,
        engine: NetworkEngine,
        data: TrainingData,
        random: np.random.RandomState,
        X_val: Any,
        y_val: Any,
        *,
        incremental: bool,
    ) -> None:
        if self.solver == "lbfgs":
            run_lbfgs(self, engine, data)
            return
        score = None
        if X_val is not None:
            score = self._score_on(*self._read_validation(X_val, y_val, engine.dtype), None)
        elif self._holds_out(data.count):
            binary = self.out_activation_ == "logistic" and self.n_outputs_ == 1
            data, held = data.split(float(self.validation_fraction), random, binary=binary)
            weights = None if data.weights is None else data.weights[held]
            score = self._score_on(data.X[held], self._targets_of(data, held), weights)
        self._begin_curves(with_validation=score is not None)
        StochasticDescent(self, engine, data, score).run(1 if incremental else int(self.max_iter))

    def _read_validation(self, X_val: Any, y_val: Any, dtype: Any) -> tuple[Any, NDArray[Any]]:
        """The user's own validation rows."""
        if y_val is None:
            raise ValueError("X_val needs y_val, the targets of the validation rows; got None.\nHint: pass both.")
        with choosing_by_rows():
            table = self._table(X_val, dtype)
        targets = self._validation_targets(y_val)
        if table.shape[0] != len(targets):
            raise ValueError(
                f"X_val and y_val must be equally long; got {table.shape[0]} rows and {len(targets)} targets.\n"
                "Hint: one target per row."
            )
        return table, targets

    def _begin_curves(self, *, with_validation: bool) -> None:
        """The records of the epochs; a warm start goes on with them."""
        if getattr(self, "loss_curve_", None) is None:
            self.loss_curve_ = []
        if with_validation:
            if getattr(self, "validation_scores_", None) is None:
                self.validation_scores_ = []
            self.best_validation_score_, self.best_loss_ = -np.inf, None
        else:
            self.validation_scores_ = self.best_validation_score_ = None
            self.best_loss_ = np.inf if getattr(self, "best_loss_", None) is None else self.best_loss_

    def _score_on(self, X: Any, y: Any, weights: Any) -> Any:
        def score(engine: NetworkEngine) -> float:
            return self._validation_score(self._combined_scores(engine, X), y, weights)

        return score

    def _targets_of(self, data: TrainingData, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Numbers of classes, or values, of some rows."""
        found = data.classes if data.classes is not None else data.values
        assert found is not None
        return found[rows]

    def _train_members(self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any) -> None:
        """Several networks from different seeds; the best one, or all of them."""
        seeds = np.random.default_rng(resolve_seed(self.random_state)).integers(0, 2**31, self.n_init)
        members = []
        for seed in seeds.tolist():
            member = clone(self).set_params(n_init=1, random_state=seed)
            members.append(member.fit(X, y, sample_weight, X_val=X_val, y_val=y_val))
        best = max(members, key=_merit)
        kept = {name: vars(best)[name] for name in (*STATE, "report_") if name in vars(best)}
        self.__dict__.update(kept)
        self.__dict__.pop("_network", None)
        if self.combine == "average":
            self.members_ = members
        else:
            self.__dict__.pop("members_", None)

    # ---- parameters and engine -------------------------------------------------------------------------------------
    def _new_engine(self, sizes: Any, dtype: Any, plan: OutputPlan, seed: int) -> NetworkEngine:
        return NetworkEngine(
            sizes,
            self._activations(),
            loss=plan.loss,
            dtype=dtype,
            batch_norm=bool(self.batch_norm),
            heads=self.auxiliary > 0.0,
            members=self._members(),
            smoothing=plan.smoothing,
            quantiles=plan.quantiles,
            dropout=float(self.dropout),
            auxiliary=float(self.auxiliary),
            frozen=int(self.frozen),
            seed=seed,
            threads=resolve_threads(self.n_jobs),
        )

    def _prepared_engine(
        self, data: TrainingData, seed: int, random: np.random.RandomState, *, first: bool, incremental: bool
    ) -> NetworkEngine:
        """An engine with the weights to begin from."""
        plan = self._output()
        self.n_outputs_, self.out_activation_ = plan.n_outputs, plan.activation
        sizes = (data.X.shape[1], *self._hidden_sizes(), plan.n_outputs)
        engine = self._new_engine(sizes, data.X.dtype, plan, seed)
        if first:
            self.n_layers_, self.t_, self.n_epochs_, self.n_iter_ = len(sizes), 0, 0, 0
            self.loss_curve_ = self.validation_scores_ = self.best_validation_score_ = self.best_loss_ = None
            self.__dict__.pop("optimizer_state_", None)
            engine.initialize(random, init=self.init, fraction=float(self.init_fraction))
            if self.start is not None:
                pretraining.copy_start(self, engine)
            return engine
        if sizes != self._checked_sizes():
            raise ValueError(
                f"The network was fitted with the layers {self._checked_sizes()}, which cannot go on with {sizes}.\n"
                "Hint: set warm_start=False to begin anew."
            )
        self._fill(engine)
        self.__dict__.setdefault("t_", 0)
        self.__dict__.setdefault("n_epochs_", 0)
        state = getattr(self, "optimizer_state_", None)
        if incremental and state is not None and all(part.size in (0, engine.parameters.size) for part in state):
            engine.first, engine.second = (part.astype(engine.dtype) for part in state)
            engine.steps = int(self.n_steps_)
        return engine

    def _fill(self, engine: NetworkEngine) -> None:
        """The fitted attributes as the parameters of an engine."""
        for name in ("coefs", "intercepts", *_NORMS, *_HEADS, *_FACTORS):
            for view, value in zip(getattr(engine, name), getattr(self, f"{name}_", ()), strict=False):
                view[...] = value

    def _keep(self, engine: NetworkEngine) -> None:
        """The parameters of a trained engine as fitted attributes."""
        engine.rest()
        self.optimizer_state_, self.n_steps_ = (engine.first, engine.second), engine.steps
        self._show(engine)

    def _refuse_infinite(self, engine: NetworkEngine) -> None:
        if np.isfinite(engine.parameters).all() and np.isfinite(engine.statistics).all():
            return
        self._forget()
        raise ValueError(
            "Solver produced non-finite parameter weights. The input data may contain large values and need to be "
            "preprocessed.\nHint: scale the columns first (StandardScaler), or lower learning_rate_init."
        )

    def _show(self, engine: NetworkEngine) -> None:
        for name in ("coefs", "intercepts", *_NORMS, *_HEADS, *_FACTORS):
            views = getattr(engine, name)
            if views or name in ("coefs", "intercepts"):
                setattr(self, f"{name}_", list(views))  # of its own, so that replaced entries are noticed
            else:
                self.__dict__.pop(f"{name}_", None)
        self._network = engine

    def _engine(self) -> NetworkEngine:
        """The engine of the fitted attributes; built again if they were loaded or replaced."""
        engine = self.__dict__.get("_network")
        if engine is not None and all(
            mine is own
            for mine, own in zip((*self.coefs_, *self.intercepts_), (*engine.coefs, *engine.intercepts), strict=False)
        ):
            return engine
        sizes = self._checked_sizes()
        engine = self._new_engine(sizes, self.coefs_[0].dtype, self._output(), 0)
        self._fill(engine)
        self._show(engine)
        return engine

    def _checked_sizes(self) -> tuple[int, ...]:
        """Sizes of all layers, from the fitted attributes; kernels trust that these fit together."""
        shapes = [np.shape(coef) for coef in self.coefs_]
        chained = all(len(shape) == 2 for shape in shapes) and all(
            upper[0] == lower[1] for lower, upper in itertools.pairwise(shapes)
        )
        if not shapes or not chained:
            raise ValueError(f"coefs_ have the shapes {shapes}, which make no network.\nHint: inputs times outputs.")
        several = (self._members(),) if self._members() else ()
        if [np.shape(each) for each in self.intercepts_] != [(*several, shape[1]) for shape in shapes]:
            raise ValueError("intercepts_ do not fit coefs_.\nHint: one number per output of every layer.")
        return (shapes[0][0], *(shape[1] for shape in shapes))

    def _restored(self) -> None:
        if any(np.asarray(each).dtype not in (np.float32, np.float64) for each in self.coefs_):
            raise ValueError("coefs_ must hold floating-point numbers.")
        sizes, wanted = self._checked_sizes(), (*self._hidden_sizes(), self._output().n_outputs)
        if sizes != (self._first_width(), *wanted):
            raise ValueError(f"coefs_ have the layers {sizes}, expected {(self._first_width(), *wanted)}.")
        engine = self._engine()
        for name in (*_NORMS, *_HEADS, *_FACTORS):
            given = [np.shape(each) for each in getattr(self, f"{name}_", ())]
            if given != [view.shape for view in getattr(engine, name)]:
                raise ValueError(f"{name}_ do not fit coefs_.")

    def _first_width(self) -> int:
        """Numbers that enter the first layer."""
        return int(self.n_features_in_)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_network", None)  # rebuilt from the fitted attributes
        return state

    def __sklearn_clone__(self) -> Any:
        if self.start is None:
            return super().__sklearn_clone__()
        # A network to start from is data: its copy would have forgotten what it learned.
        parameters = {
            name: clone(value, safe=False) for name, value in self.get_params(deep=False).items() if name != "start"
        }
        return type(self)(**parameters, start=self.start)

    # ---- asking ----------------------------------------------------------------------------------------------------
    def _table(self, X: TableLike, dtype: Any = None) -> Any:
        """Rows in the type of the network."""
        return check_X(self, X, accept_sparse="csr", dtype=(self.coefs_[0].dtype if dtype is None else dtype,))

    def _averaged(self) -> list[Any]:
        """The networks whose predictions are averaged."""
        return getattr(self, "members_", None) or [self]

    def _raw_scores(self, table: NDArray[Any] | SparseTable) -> NDArray[Any]:
        return self._combined_scores(self._engine(), table)

    def _combined_scores(self, engine: NetworkEngine, table: NDArray[Any] | SparseTable) -> NDArray[Any]:
        """Scores of the network; of members those that belong to their mean prediction."""
        if not engine.members:
            return engine.forward(table)
        return combined_scores(engine, table, self.out_activation_)


def _merit(member: Any) -> float:
    """What decides between networks: the best validation score, or minus the loss."""
    best = getattr(member, "best_validation_score_", None)
    return float(-member.loss_ if best is None else best)
