"""Logistic regression and other smooth losses against scikit-learn, LIBLINEAR, scikit-learn-intelex and snapml."""

from dataclasses import replace
from functools import partial

from benchmarks.measure.task import THREADS, Competitor, Quality, Task
from benchmarks.problems import data, objectives
from benchmarks.problems import linear_machine_data as machines

_C = 1.0
_GAP = 1e-6  # relative to the objective at zero coefficients
_LOOSE = 1e-5  # for the text-like table
_TOLERANCES = tuple({"tol": 10.0**-k} for k in range(1, 13))
_STEEP = tuple({"tol": 10.0**-k} for k in (2, 4, 6, 8))  # for peers that are slow on every rung
_SKLEARN = "sklearn.linear_model.LogisticRegression"
_LIMIT = {"max_iter": 10_000, "C": _C}


_WEAK = 1e6  # C of a penalty that hardly counts


def _gap(model, prediction, arrays):  # noqa: ARG001
    return objectives.logistic_gap(model, arrays, model.C if hasattr(model, "C") else _C)


def _mean_gap(model, prediction, arrays):  # noqa: ARG001
    return objectives.poisson_gap(model, arrays)


def _ours(gap):
    return Competitor("certus", "certus.linear.LogisticRegression", {**_LIMIT, "gap_tol": gap})


def _by_solver(*solvers):
    return tuple(
        Competitor(f"scikit-learn {solver}", _SKLEARN, {**_LIMIT, "solver": solver}, _TOLERANCES) for solver in solvers
    )


# The intercept of LIBLINEAR is penalized like the coefficient of a constant column; a large constant makes that
# penalty small enough for the wanted gap. snapml's is penalized, too.
_LIBLINEAR = Competitor(
    "LIBLINEAR", _SKLEARN, {**_LIMIT, "solver": "liblinear", "intercept_scaling": 100.0}, _TOLERANCES
)
_INTELEX = Competitor("scikit-learn-intelex", "sklearnex.linear_model.LogisticRegression", _LIMIT, _TOLERANCES)
_SNAPML = Competitor(
    "snapml",
    "snapml.LogisticRegression",
    {"regularizer": 1.0 / _C, "fit_intercept": True, "n_jobs": THREADS, "max_iter": 2000},
    _STEEP,
)
_TWO_CLASSES = (_ours(_GAP), *_by_solver("lbfgs", "newton-cholesky"), _INTELEX, _LIBLINEAR, _SNAPML)
_MANY_CLASSES = (_ours(_GAP), *_by_solver("lbfgs", "newton-cg", "newton-cholesky"), _INTELEX)


def _logistic(name, about, make_data, size, quick_size, competitors, action="fit", wanted=_GAP):
    return Task(
        name=name,
        about=f"LogisticRegression, {about}, to a relative gap of {wanted:g}",
        action=action,
        make_data=make_data,
        size=size,
        quick_size=quick_size,
        quality=Quality("relative gap", _gap, wanted=wanted),
        competitors=competitors,
    )


_PAIR = partial(data.linear_classes, classes=2, C=_C)
TASKS = (
    _logistic("logistic-2e5x100", "two classes", _PAIR, {"n": 200_000, "d": 100}, {"n": 1_000, "d": 10}, _TWO_CLASSES),
    _logistic("logistic-1.6e5x39", "two classes", _PAIR, {"n": 160_000, "d": 39}, {"n": 1_000, "d": 10}, _TWO_CLASSES),
    _logistic(
        "logistic-26-classes",
        "26 classes",
        partial(data.linear_classes, classes=26, C=_C),
        {"n": 16_000, "d": 16},
        {"n": 1_000, "d": 5},
        _MANY_CLASSES,
    ),
    _logistic(
        "logistic-sharp-classes",
        f"30 classes that the columns almost tell apart, C={_WEAK:g}",
        partial(data.sharp_classes, classes=30, C=_WEAK),
        {"n": 800, "d": 8},
        {"n": 300, "d": 5},
        tuple(replace(each, parameters={**each.parameters, "C": _WEAK}) for each in _MANY_CLASSES),
    ),
    _logistic(
        "logistic-text",
        "20 classes, sparse text-like rows",
        partial(machines.text_like, classes=20, density=1e-3, C=_C),
        {"n": 11_000, "p": 130_000},
        {"n": 300, "p": 2_000},
        (_ours(_LOOSE), *_by_solver("lbfgs", "newton-cg")),
        wanted=_LOOSE,
    ),
    _logistic(
        "logistic-breast-cancer",
        "a small table",
        partial(data.breast_cancer, C=_C),
        {},
        {},
        _TWO_CLASSES,
        action="fit_predict",
    ),
    _logistic(
        "logistic-2e5x100-single",
        "two classes, single precision",
        partial(data.linear_classes, classes=2, C=_C, dtype="float32"),
        {"n": 200_000, "d": 100},
        {"n": 1_000, "d": 10},
        (_ours(_GAP), *_by_solver("lbfgs", "newton-cholesky"), _INTELEX),
    ),
    Task(
        name="poisson-1e5x40",
        about=f"PoissonRegressor, to a relative gap of {_GAP:g}",
        action="fit",
        make_data=data.counts,
        size={"n": 100_000, "d": 40},
        quick_size={"n": 1_000, "d": 10},
        quality=Quality("relative gap", _mean_gap, wanted=_GAP),
        competitors=(
            Competitor("certus", "certus.linear.PoissonRegressor", {"max_iter": 1000, "gap_tol": _GAP}),
            *(
                Competitor(
                    f"scikit-learn {solver}",
                    "sklearn.linear_model.PoissonRegressor",
                    {"max_iter": 1000, "solver": solver},
                    _TOLERANCES,
                )
                for solver in ("lbfgs", "newton-cholesky")
            ),
        ),
    ),
)
