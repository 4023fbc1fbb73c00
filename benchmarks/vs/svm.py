"""Support vector machines against scikit-learn (LIBSVM) and scikit-learn-intelex, all with tol=1e-3."""

from functools import partial

import data
import predictions
from measure.task import Competitor, Task


def _machines(name: str, *, intelex: bool = True) -> tuple[Competitor, ...]:
    modules = [("certus", "certus.svm"), ("scikit-learn", "sklearn.svm")]
    if intelex:
        modules.append(("scikit-learn-intelex", "sklearnex.svm"))
    return tuple(Competitor(peer, f"{module}.{name}", {}) for peer, module in modules)


_SMALL = {"n": 1_000, "d": 10, "queries": 200}
_ACCURACY = predictions.accuracy(slack=2e-3)

TASKS = (
    Task(
        name="svc-n1e4",
        about="SVC with the Gaussian kernel, 10 000 rows",
        action="fit_predict",
        make_data=partial(data.surface_classes, classes=2),
        size={"n": 10_000, "d": 50, "queries": 10_000},
        quick_size=_SMALL,
        quality=_ACCURACY,
        competitors=_machines("SVC"),
    ),
    Task(
        name="svc-26-classes",
        about="SVC, 26 classes",
        action="fit_predict",
        make_data=partial(data.clusters, classes=26),
        size={"n": 15_000, "d": 16, "queries": 15_000},
        quick_size=_SMALL,
        quality=_ACCURACY,
        competitors=_machines("SVC"),
    ),
    Task(
        name="svc-breast-cancer",
        about="SVC on a small table",
        action="fit_predict",
        make_data=data.breast_cancer,
        size={},
        quick_size={},
        quality=_ACCURACY,
        competitors=_machines("SVC"),
    ),
    Task(
        name="svr-n1e4",
        about="SVR with the Gaussian kernel, 10 000 rows",
        action="fit_predict",
        make_data=data.smooth_surface,
        size={"n": 10_000, "d": 20, "queries": 10_000},
        quick_size=_SMALL,
        quality=predictions.root_mean_square(slack=2e-3),
        competitors=_machines("SVR"),
    ),
)
