"""Least squares and ridge against scikit-learn, scikit-learn-intelex and NumPy's normal equations."""

from dataclasses import replace
from functools import partial

from benchmarks.measure.task import Competitor, Quality, Task
from benchmarks.problems import data, objectives

_ALPHA = 1.0


def _gap(model, prediction, arrays, alpha):  # noqa: ARG001
    return objectives.quadratic_gap(model, arrays, alpha)


def _coefficient_error(model, prediction, arrays):  # noqa: ARG001
    return objectives.coefficient_error(model, arrays)


_LEAST_SQUARES_QUALITY = Quality("relative gap", partial(_gap, alpha=0.0), wanted=1e-12)
_RIDGE_QUALITY = Quality("relative gap", partial(_gap, alpha=_ALPHA), wanted=1e-12)
_SINGLE = 1e-7  # relative gap that single precision can be asked for

_LEAST_SQUARES = (
    Competitor("certus", "certus.linear.LinearRegression"),
    Competitor("scikit-learn", "sklearn.linear_model.LinearRegression"),
    Competitor("scikit-learn-intelex", "sklearnex.linear_model.LinearRegression"),
    Competitor("normal equations", "benchmarks.peers.normal_equations.NormalEquations"),
)
_RIDGE = (
    Competitor("certus", "certus.linear.Ridge", {"alpha": _ALPHA}),
    Competitor("scikit-learn", "sklearn.linear_model.Ridge", {"alpha": _ALPHA}),
    Competitor("scikit-learn-intelex", "sklearnex.linear_model.Ridge", {"alpha": _ALPHA}),
    Competitor("normal equations", "benchmarks.peers.normal_equations.NormalEquations", {"alpha": _ALPHA}),
)
# On a small table the call itself is what takes time; hand-written equations check nothing and are no peer there.
_SMALL_LEAST_SQUARES, _SMALL_RIDGE = _LEAST_SQUARES[:-1], _RIDGE[:-1]
_TALL = {"n": 200_000, "d": 200}
_TALLER = {"n": 1_000_000, "d": 100}
_SMALL = {"n": 2_000, "d": 20}


def _quadratic_tasks():
    tables = (
        ("tall", _TALL, {}, ""),
        ("taller", _TALLER, {}, ""),
        ("taller-single", {**_TALLER, "dtype": "float32"}, {"wanted": _SINGLE}, ", single precision"),
    )
    for name, size, quality, remark in tables:
        yield Task(
            name=f"linear-{name}",
            about=f"LinearRegression, well conditioned{remark}",
            action="fit",
            make_data=data.regression,
            size=size,
            quick_size=_SMALL,
            quality=replace(_LEAST_SQUARES_QUALITY, **quality),
            competitors=_LEAST_SQUARES,
        )
        yield Task(
            name=f"ridge-{name}",
            about=f"Ridge, well conditioned{remark}",
            action="fit",
            make_data=partial(data.regression, alpha=_ALPHA),
            size=size,
            quick_size=_SMALL,
            quality=replace(_RIDGE_QUALITY, **quality),
            competitors=_RIDGE,
        )


TASKS = (
    *_quadratic_tasks(),
    Task(
        name="linear-ill-conditioned",
        about="LinearRegression, singular values over five decades, no noise",
        action="fit",
        make_data=partial(data.ill_conditioned_regression, condition=1e5),
        size={"n": 200_000, "d": 50},
        quick_size={"n": 2_000, "d": 20},
        quality=Quality("coefficient error", _coefficient_error, wanted=1e-9),
        competitors=_LEAST_SQUARES,
    ),
    Task(
        name="linear-diabetes",
        about="LinearRegression on a small table",
        action="fit_predict",
        make_data=data.diabetes,
        quality=_LEAST_SQUARES_QUALITY,
        competitors=_SMALL_LEAST_SQUARES,
    ),
    Task(
        name="ridge-diabetes",
        about="Ridge on a small table",
        action="fit_predict",
        make_data=partial(data.diabetes, alpha=_ALPHA),
        quality=_RIDGE_QUALITY,
        competitors=_SMALL_RIDGE,
    ),
    Task(
        name="ridge-one-row",
        about="Ridge, prediction of a single row",
        action="predict_one",
        make_data=partial(data.diabetes, alpha=_ALPHA),
        quality=_RIDGE_QUALITY,
        competitors=_SMALL_RIDGE,
    ),
)
