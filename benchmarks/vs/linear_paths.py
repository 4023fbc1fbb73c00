"""Lasso paths, sparse L1 models, RidgeCV and small tables against scikit-learn, celer, skglm and snapml."""

import warnings
from functools import partial

import numpy as np

from benchmarks.measure.task import THREADS, Competitor, Quality, Task
from benchmarks.peers import path_models, sparse_models
from benchmarks.problems import data

_ALPHAS = tuple(np.logspace(-3, 3, 10))


def _ladder(loose: int, strict: int) -> tuple[dict[str, float], ...]:
    return tuple({"tol": 10.0**-k} for k in range(loose, strict + 1))


def _path_gap(model, prediction, arrays):  # noqa: ARG001
    return path_models.largest_gap(model, arrays["X"], arrays["y"])


def _sparse_gap(model, prediction, arrays):  # noqa: ARG001
    return path_models.largest_gap(model, model.X_, arrays["y"])


def _sparse_logistic_gap(model, prediction, arrays):  # noqa: ARG001
    return sparse_models.logistic_gap(model.X_, arrays["y"], model.coef_, model.penalty_)


def _dense_logistic_gap(model, prediction, arrays):  # noqa: ARG001
    return sparse_models.logistic_gap(arrays["X"], arrays["y"], model.coef_, model.penalty_)


def _small_gap(l1_ratio, model, prediction, arrays):  # noqa: ARG001
    alpha = getattr(model, "alpha_", None) or model.alpha
    return path_models.centered_gap(model, arrays["X"], arrays["y"], alpha, l1_ratio)


def _ridge_gap(model, prediction, arrays):  # noqa: ARG001
    return path_models.ridge_gap(model, arrays["X"], arrays["y"])


def _path_tasks():
    names = {"certus": "CertusPath", "scikit-learn": "SklearnPath", "celer": "CelerPath", "skglm": "SkglmPath"}
    shapes = (
        ("wide", data.sparse_signal, {"n": 1_000, "d": 10_000}, 1e-2),
        ("tall", data.sparse_signal, {"n": 100_000, "d": 200}, 1e-3),
        ("correlated", partial(data.sparse_signal, factors=30), {"n": 240, "d": 7_400}, 1e-2),
    )
    for name, make_data, size, eps in shapes:
        for wanted, ladder in ((1e-4, _ladder(3, 10)), (1e-7, _ladder(6, 12))):
            yield Task(
                name=f"path-{name}-{wanted:.0e}",
                about=f"lasso path, 100 penalties down to {eps:g} of the largest, gap {wanted:g}",
                action="fit",
                make_data=make_data,
                size=size,
                quick_size={"n": 100, "d": 60},
                quality=Quality("relative gap", _path_gap, wanted=wanted),
                competitors=tuple(
                    Competitor(who, f"benchmarks.peers.path_models.{kind}", {"eps": eps}, ladder)
                    for who, kind in names.items()
                ),
            )


def _sparse_lasso_tasks():
    paths = {
        "certus": {"path": "certus.linear.Lasso"},
        "scikit-learn": {"path": "sklearn.linear_model.Lasso"},
        "celer": {"path": "celer.Lasso"},
        "skglm": {"path": "skglm.Lasso"},
        "snapml": {"path": "snapml.LinearRegression", "penalty": "l1", "dual": False, "n_jobs": THREADS, "form": "csr"},
    }
    for share in (0.1, 0.02):
        yield Task(
            name=f"sparse-lasso-{share:g}",
            about=f"Lasso of a sparse table, density 0.001, penalty {share:g} of the largest, gap 1e-6",
            action="fit",
            make_data=data.sparse_triplets,
            size={"n": 10_000, "d": 100_000},
            quick_size={"n": 1_000, "d": 2_000},
            quality=Quality("relative gap", _sparse_gap, wanted=1e-6),
            competitors=tuple(
                Competitor(who, "benchmarks.peers.sparse_models.SparseLasso", {"share": share, **rest}, _ladder(3, 12))
                for who, rest in paths.items()
            ),
        )


def _logistic_paths():
    liblinear = {"solver": "liblinear", "l1_ratio": 1.0, "max_iter": 10_000, "form": "csr"}
    return {
        "certus": {"path": "certus.linear.LogisticRegression", **liblinear},
        "scikit-learn": {"path": "sklearn.linear_model.LogisticRegression", **liblinear},
        "celer": {"path": "celer.LogisticRegression", "form": "csc"},
        "skglm": {"path": "skglm.SparseLogisticRegression", "form": "csc"},
        "snapml": {
            "path": "snapml.LogisticRegression",
            "penalty": "l1",
            "dual": False,
            "max_iter": 10_000,
            "n_jobs": THREADS,
            "form": "csr",
        },
    }


def _logistic_tasks():
    for share in (0.3, 0.1):
        yield Task(
            name=f"l1-logistic-{share:g}",
            about=f"L1 logistic regression of a sparse table, penalty {share:g} of the largest, gap 1e-6",
            action="fit",
            make_data=data.sparse_labels,
            size={"n": 20_000, "d": 100_000},
            quick_size={"n": 1_000, "d": 2_000},
            quality=Quality("relative gap", _sparse_logistic_gap, wanted=1e-6),
            competitors=tuple(
                Competitor(
                    who, "benchmarks.peers.sparse_models.SparseLogistic", {"share": share, **rest}, _ladder(3, 12)[::2]
                )
                for who, rest in _logistic_paths().items()
            ),
        )
    dense = {
        who: {key: value for key, value in rest.items() if key != "form"} for who, rest in _logistic_paths().items()
    }
    yield Task(
        name="small-l1-logistic",
        about="L1 logistic regression of breast cancer, C=1, gap 1e-6: call overhead counts",
        action="fit",
        make_data=data.breast_cancer,
        quality=Quality("relative gap", _dense_logistic_gap, wanted=1e-6),
        competitors=tuple(
            Competitor(who, "benchmarks.peers.sparse_models.DenseLogistic", {"C": 1.0, **rest}, _ladder(3, 10))
            for who, rest in dense.items()
        ),
    )


def _small_tasks():
    models = (
        ("lasso", "Lasso", {"alpha": 0.1}, 1.0, ("sklearn.linear_model", "celer", "skglm")),
        ("elastic-net", "ElasticNet", {"alpha": 0.01, "l1_ratio": 0.5}, 0.5, ("sklearn.linear_model", "celer")),
        ("lasso-cv", "LassoCV", {}, 1.0, ("sklearn.linear_model", "celer")),
    )
    names = {"sklearn.linear_model": "scikit-learn", "celer": "celer", "skglm": "skglm", "certus.linear": "certus"}
    for name, kind, parameters, ratio, peers in models:
        yield Task(
            name=f"small-{name}",
            about=f"{kind} of diabetes, gap 1e-6: call overhead counts",
            action="fit",
            make_data=data.diabetes,
            quality=Quality("relative gap", partial(_small_gap, ratio), wanted=1e-6),
            competitors=tuple(
                Competitor(names[module], f"{module}.{kind}", parameters, _ladder(4, 10))
                for module in ("certus.linear", *peers)
            ),
        )


def _ridge_tasks():
    shapes = (
        ("wide", data.regression, {"n": 500, "d": 2_000}),
        ("tall", data.regression, {"n": 20_000, "d": 100}),
        ("small", data.diabetes, {}),
    )
    for name, make_data, size in shapes:
        yield Task(
            name=f"ridge-cv-{name}",
            about="RidgeCV by exact leave-one-out, 10 penalties",
            action="fit",
            make_data=make_data,
            size=size,
            quick_size={"n": 60, "d": 100} if size else {},
            quality=Quality("relative gap", _ridge_gap, wanted=1e-8),
            competitors=tuple(
                Competitor(who, f"{module}.RidgeCV", {"alphas": _ALPHAS})
                for who, module in (("certus", "certus.linear"), ("scikit-learn", "sklearn.linear_model"))
            ),
        )


warnings.filterwarnings("ignore", category=UserWarning)
TASKS = (*_path_tasks(), *_sparse_lasso_tasks(), *_logistic_tasks(), *_small_tasks(), *_ridge_tasks())
