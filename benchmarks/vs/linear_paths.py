"""Lasso paths and sparse lasso against scikit-learn, celer and skglm, at equal duality gap."""

import warnings
from functools import partial

import data
import path_models
from measure.task import Competitor, Quality, Task

_TOLERANCES = tuple(10.0**-k for k in range(1, 13))


def _path_gap(model, prediction, arrays):  # noqa: ARG001
    return path_models.largest_gap(model, arrays["X"], arrays["y"])


def _sparse_gap(model, prediction, arrays):  # noqa: ARG001
    return path_models.largest_gap(model, model.X_, arrays["y"])


def _competitors(eps):
    names = {"certus": "CertusPath", "scikit-learn": "SklearnPath", "celer": "CelerPath", "skglm": "SkglmPath"}
    ladder = tuple({"tol": tol} for tol in _TOLERANCES)
    return tuple(Competitor(name, f"path_models.{kind}", {"eps": eps}, ladder) for name, kind in names.items())


def _sparse_competitors(share):
    paths = {
        "certus": "certus.linear.Lasso",
        "scikit-learn": "sklearn.linear_model.Lasso",
        "celer": "celer.Lasso",
        "skglm": "skglm.Lasso",
    }
    ladder = tuple({"tol": tol} for tol in _TOLERANCES)
    return tuple(
        Competitor(name, "path_models.SparseLasso", {"path": path, "share": share}, ladder)
        for name, path in paths.items()
    )


def _path_tasks():
    shapes = (
        ("wide", data.sparse_signal, {"n": 1_000, "d": 10_000}, 1e-2),
        ("tall", data.sparse_signal, {"n": 100_000, "d": 200}, 1e-3),
        ("correlated", partial(data.sparse_signal, factors=30), {"n": 240, "d": 7_400}, 1e-2),
    )
    for name, make_data, size, eps in shapes:
        for wanted in (1e-4, 1e-7):
            yield Task(
                name=f"path-{name}-{wanted:.0e}",
                about=f"lasso path, 100 penalties down to {eps:g} of the largest, gap {wanted:g}",
                action="fit",
                make_data=make_data,
                size=size,
                quick_size={"n": 100, "d": 60},
                quality=Quality("relative gap", _path_gap, wanted=wanted),
                competitors=_competitors(eps),
            )


def _sparse_tasks():
    for share in (0.1, 0.02):
        yield Task(
            name=f"sparse-lasso-{share:g}",
            about=f"Lasso of a sparse table, density 0.001, penalty {share:g} of the largest, gap 1e-6",
            action="fit",
            make_data=data.sparse_triplets,
            size={"n": 10_000, "d": 100_000},
            quick_size={"n": 1_000, "d": 2_000},
            quality=Quality("relative gap", _sparse_gap, wanted=1e-6),
            competitors=_sparse_competitors(share),
        )


warnings.filterwarnings("ignore", category=UserWarning)
TASKS = (*_path_tasks(), *_sparse_tasks())
