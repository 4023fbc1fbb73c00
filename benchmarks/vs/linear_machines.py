"""Linear machines and stochastic descent against scikit-learn (LIBLINEAR) and snapml."""

from collections.abc import Iterator
from functools import partial

from benchmarks.measure.task import THREADS, Competitor, Quality, Task
from benchmarks.problems import linear_machine_data as machines

_C = 1.0
_GAP = 1e-5  # relative to the objective at zero coefficients
_ONE_PASS = {"max_iter": 1, "tol": None, "random_state": 0}
_TOLERANCES = tuple({"tol": 10.0**-k} for k in range(1, 9))


_FEW_COSTS = 0.01  # C of a table with many rows
_ROUGH = 1e-4  # gap that default tolerances reach


def _gap(model, prediction, arrays, squared, C=_C):  # noqa: ARG001
    return machines.machine_gap(model, arrays, C, squared)


def _l1_gap(model, prediction, arrays):  # noqa: ARG001
    return machines.l1_gap(model, arrays)


def _training_error(model, prediction, arrays):  # noqa: ARG001
    return float((model.predict(arrays["X"]) != arrays["y"]).mean())


def _machines(loss: str) -> tuple[Competitor, ...]:
    """Everybody who has the objective."""
    squared = loss == "squared_hinge"
    dual = {"loss": loss, "C": _C, "dual": True, "max_iter": 5000}
    ours = Competitor("certus", "certus.linear.LinearSVC", {"loss": loss, "C": _C, "gap_tol": _GAP})
    competitors = [ours, Competitor("scikit-learn", "sklearn.svm.LinearSVC", dual, _TOLERANCES)]
    if squared:
        primal = {"loss": loss, "C": _C, "dual": False, "max_iter": 5000}
        competitors.append(Competitor("scikit-learn primal", "sklearn.svm.LinearSVC", primal, _TOLERANCES))
    else:
        snap = {"loss": "hinge", "regularizer": _C, "fit_intercept": True, "n_jobs": THREADS, "max_iter": 2000}
        competitors.append(Competitor("snapml", "snapml.SupportVectorMachine", snap, _TOLERANCES[1::2]))
    return tuple(competitors)


def _machine_tasks(loss: str) -> Iterator[Task]:
    squared = loss == "squared_hinge"
    tables = (
        ("", machines.two_classes, {"n": 100_000, "d": 100}, {"n": 2_000, "d": 20}, "fit"),
        ("-breast-cancer", machines.breast_cancer, {}, {}, "fit_predict"),
    )
    for name, make_data, size, quick_size, action in tables:
        yield Task(
            name=f"svc-{loss.replace('_', '-')}{name}",
            about=f"LinearSVC, {loss}, to a relative gap of {_GAP:g}",
            action=action,
            make_data=partial(make_data, C=_C, squared=squared),
            size=size,
            quick_size=quick_size,
            quality=Quality("relative gap", partial(_gap, squared=squared), wanted=_GAP),
            competitors=_machines(loss),
        )


def _one_pass_task(name: str, dtype: str) -> Task:
    return Task(
        name=name,
        about=f"SGDClassifier, one pass, {dtype}",
        action="fit",
        make_data=partial(machines.pass_table, dtype=dtype),
        size={"n": 1_000_000, "d": 30},
        quick_size={"n": 5_000, "d": 30},
        quality=Quality("training error", _training_error, slack=0.02),
        competitors=(
            Competitor("certus", "certus.linear.SGDClassifier", _ONE_PASS),
            Competitor("scikit-learn", "sklearn.linear_model.SGDClassifier", _ONE_PASS),
        ),
    )


_DUAL = {"loss": "hinge", "C": _FEW_COSTS, "dual": True}
_SNAP = {"loss": "hinge", "regularizer": 1.0 / _FEW_COSTS, "fit_intercept": True, "n_jobs": THREADS, "max_iter": 2000}

TASKS = (
    Task(
        name="svc-hinge-default-tol",
        about=f"LinearSVC, hinge, C={_FEW_COSTS:g}, default tolerances, judged at a relative gap of {_ROUGH:g}",
        action="fit",
        make_data=partial(machines.two_classes, C=_FEW_COSTS, squared=False),
        size={"n": 100_000, "d": 100},
        quick_size={"n": 2_000, "d": 20},
        quality=Quality("relative gap", partial(_gap, squared=False, C=_FEW_COSTS), wanted=_ROUGH),
        competitors=(
            Competitor("certus", "certus.linear.LinearSVC", _DUAL),
            Competitor("scikit-learn", "sklearn.svm.LinearSVC", {**_DUAL, "max_iter": 5000}, _TOLERANCES),
            Competitor("snapml", "snapml.SupportVectorMachine", _SNAP, _TOLERANCES[1::2]),
        ),
    ),
    Task(
        name="svc-l1-near-collinear",
        about=f"LinearSVC, L1 penalty, pairs of columns that differ by 1e-6, 3 classes, to a gap of {_GAP:g}",
        action="fit",
        make_data=machines.near_collinear,
        size={"n": 800, "d": 24},
        quick_size={"n": 200, "d": 8},
        quality=Quality("relative gap", _l1_gap, wanted=_GAP),
        competitors=(
            Competitor("certus", "certus.linear.LinearSVC", {"penalty": "l1", "dual": False, "gap_tol": _GAP}),
            Competitor(
                "scikit-learn",
                "sklearn.svm.LinearSVC",
                {"penalty": "l1", "dual": False, "max_iter": 100_000},
                _TOLERANCES,
            ),
        ),
    ),
    *_machine_tasks("hinge"),
    *_machine_tasks("squared_hinge"),
    Task(
        name="svc-text",
        about="LinearSVC, 20 classes one against the rest, sparse text-like rows, tol=1e-4",
        action="fit",
        make_data=partial(machines.text_like, classes=20, density=1e-3),
        size={"n": 11_000, "p": 130_000},
        quick_size={"n": 500, "p": 5_000},
        quality=Quality("training error", _training_error, slack=0.002),
        competitors=(
            Competitor("certus", "certus.linear.LinearSVC", {"random_state": 0}),
            Competitor("scikit-learn", "sklearn.svm.LinearSVC", {"random_state": 0}),
        ),
    ),
    _one_pass_task("sgd-one-pass", "float64"),
    _one_pass_task("sgd-one-pass-single", "float32"),
)
