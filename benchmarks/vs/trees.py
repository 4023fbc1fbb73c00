"""Single decision trees against scikit-learn, grown without limit and to a fixed depth.

Equal quality has some slack: among equally good splits the libraries choose differently.
"""

import data
import predictions
from measure.task import Competitor, Task


def _competitors(name, **parameters):
    return (
        Competitor("certus", f"certus.trees.{name}", {"random_state": 0, **parameters}),
        Competitor("scikit-learn", f"sklearn.tree.{name}", {"random_state": 0, **parameters}),
    )


_CLASSES = {"n": 100_000, "d": 20, "classes": 5, "queries": 20_000}
_SURFACE = {"n": 100_000, "d": 20, "queries": 20_000}

TASKS = (
    Task(
        name="classifier-full",
        about="DecisionTreeClassifier, grown to pure leaves",
        action="fit_predict",
        make_data=data.surface_classes,
        size=_CLASSES,
        quick_size={**_CLASSES, "n": 2_000, "queries": 500},
        quality=predictions.accuracy(slack=0.02),
        competitors=_competitors("DecisionTreeClassifier"),
    ),
    Task(
        name="classifier-depth-8",
        about="DecisionTreeClassifier, depth 8",
        action="fit_predict",
        make_data=data.surface_classes,
        size=_CLASSES,
        quick_size={**_CLASSES, "n": 2_000, "queries": 500},
        quality=predictions.accuracy(slack=0.02),
        competitors=_competitors("DecisionTreeClassifier", max_depth=8),
    ),
    Task(
        name="regressor-full",
        about="DecisionTreeRegressor, grown to pure leaves",
        action="fit_predict",
        make_data=data.smooth_surface,
        size=_SURFACE,
        quick_size={**_SURFACE, "n": 2_000, "queries": 500},
        quality=predictions.root_mean_square(slack=0.15),
        competitors=_competitors("DecisionTreeRegressor"),
    ),
    Task(
        name="classifier-breast-cancer",
        about="DecisionTreeClassifier on a small table",
        action="fit_predict",
        make_data=data.breast_cancer,
        size={},
        quick_size={},
        quality=predictions.accuracy(slack=0.03),
        competitors=_competitors("DecisionTreeClassifier"),
    ),
    Task(
        name="classifier-one-row",
        about="DecisionTreeClassifier, prediction of a single row",
        action="predict_one",
        make_data=data.breast_cancer,
        size={},
        quick_size={},
        quality=predictions.accuracy(slack=0.03),
        competitors=_competitors("DecisionTreeClassifier"),
    ),
)
