"""How the time of trees and boosting grows: rows, columns, bins and threads, one quantity at a time.

The competitors of a task are learners of ours at different settings, so there is no ratio. For threads run the family
with ``--threads 2`` and with ``--threads 1 --json benchmarks/results/tree_scaling_one_thread.json``.
"""

from benchmarks.measure.task import Competitor, Task
from benchmarks.problems import data, predictions

_FOREST = {"n_estimators": 20, "random_state": 0}
_BOOSTING = {"max_iter": 50, "early_stopping": False, "random_state": 0}
_LEARNERS = (
    ("tree", "certus.trees.DecisionTreeClassifier", {"random_state": 0}),
    ("forest", "certus.ensemble.RandomForestClassifier", _FOREST),
    ("boosting", "certus.ensemble.HistGradientBoostingClassifier", _BOOSTING),
)
_BINS = (15, 63, 255)


def _task(name, about, size, competitors):
    return Task(
        name=name,
        about=about,
        action="fit_predict",
        make_data=data.surface_classes,
        size={"classes": 2, "queries": 5_000, **size},
        quick_size={"classes": 2, "queries": 500, **size, "n": 1_000},
        quality=predictions.accuracy(slack=1.0),
        competitors=competitors,
    )


_ALL = tuple(Competitor(f"certus {name}", path, parameters) for name, path, parameters in _LEARNERS)
_BY_BINS = tuple(
    Competitor(f"certus {name}-{bins}", path, {**parameters, "max_bins": bins})
    for name, path, parameters in _LEARNERS[1:]
    for bins in _BINS
)

TASKS = (
    *(_task(f"rows-{n}", "twenty columns", {"n": n, "d": 20}, _ALL) for n in (12_500, 50_000, 200_000)),
    *(_task(f"columns-{d}", "50 000 rows", {"n": 50_000, "d": d}, _ALL) for d in (10, 40, 160)),
    _task("bins", "100 000 rows, twenty columns", {"n": 100_000, "d": 20}, _BY_BINS),
)
