"""The recipes of a study, by what is to be learned. Learners that the catalogue does not have are skipped."""

from __future__ import annotations

from collections.abc import Sequence

from certus.base import catalogue
from certus.workflow.race.candidates import Choice, Range, Recipe
from certus.workflow.race.further_learners import further_recipes
from certus.workflow.study_error import StudyError

Space = dict[str, Range | Choice]

_C = Range(1e-3, 1e2)
_ALPHA = Range(1e-3, 1e3)
_NEIGHBORS: Space = {"n_neighbors": Range(1, 100, integer=True), "weights": Choice(("uniform", "distance"))}
_LEAF: Space = {"min_samples_leaf": Range(1, 100, integer=True)}
_FOREST: Space = {
    "min_samples_leaf": Range(1, 20, integer=True),
    "max_features": Choice(("sqrt", 0.3, 0.6, 1.0)),
}
_BOOSTING: Space = {
    "learning_rate": Range(0.02, 0.3),
    "max_iter": Range(50, 500, integer=True),
    "max_leaf_nodes": Range(4, 64, integer=True),
    "min_samples_leaf": Range(2, 100, integer=True),
    "l2_regularization": Range(1e-3, 1e2),
    "max_features": Choice((0.3, 0.6, 1.0)),
}
_BOOSTING_STARTS = (
    {"learning_rate": 0.1, "max_iter": 100, "early_stopping": False},
    {"learning_rate": 0.05, "max_iter": 200, "max_leaf_nodes": 8, "early_stopping": False},
    {"learning_rate": 0.05, "max_iter": 300, "max_leaf_nodes": 31, "min_samples_leaf": 5, "early_stopping": False},
)
_KERNEL: Space = {"C": Range(1e-1, 1e3), "gamma": Range(1e-4, 1e1)}

_NETWORK: Space = {
    "hidden_layer_sizes": Choice(((64,), (128, 128), (256, 256))),
    "members": Choice((2, 4)),
    "max_iter": Choice((30, 60)),
    "learning_rate_init": Range(1e-3, 1e-2),
    "dropout": Choice((0.0, 0.15, 0.3)),
}
# The defaults take several times as long: they come after everybody's settings, if there is time.
_QUICK_NETWORK = ({"members": 2, "max_iter": 30},)
_NETWORK_WORK = (1.0, 0.6, 2.5), (1.0, 0.6, 9.0)

_COUNTING: Space = {"alpha": Range(1e-3, 1e1)}
_COUNTING_STARTS = ({"alpha": 0.1}, {"alpha": 1.0})

_CLASSIFIERS = (
    Recipe("certus.linear.LogisticRegression", ({"C": 1.0}, {"C": 0.1}, {"C": 0.01}), {"C": _C}),
    Recipe(
        "certus.ensemble.HistGradientBoostingClassifier",
        _BOOSTING_STARTS,
        _BOOSTING,
        "native",
        (0.8, 1.0, 0.3),
    ),
    Recipe(
        "certus.ensemble.RandomForestClassifier",
        ({"n_estimators": 200}, {"n_estimators": 200, "min_samples_leaf": 3, "max_features": 0.3}),
        _FOREST,
        "native",
        (1.1, 0.6, 1.0),
    ),
    Recipe("certus.ensemble.ExtraTreesClassifier", ({"n_estimators": 200},), _FOREST, "native", (1.1, 0.6, 0.8)),
    Recipe("certus.svm.SVC", ({"C": 1.0}, {"C": 10.0}), _KERNEL, "scaled", (2.0, 1.0, 3.0)),
    Recipe(
        "certus.neighbors.KNeighborsClassifier",
        ({"n_neighbors": 15, "weights": "distance"},),
        _NEIGHBORS,
        "scaled",
        (2.0, 1.0, 0.5),
    ),
    Recipe("certus.bayes.GaussianNB"),
    Recipe("certus.bayes.MultinomialNB", _COUNTING_STARTS, _COUNTING, "words", (1.0, 0.0, 0.02)),
    Recipe("certus.bayes.ComplementNB", _COUNTING_STARTS, _COUNTING, "words", (1.0, 0.0, 0.02)),
    Recipe("certus.bayes.LinearDiscriminantAnalysis", work=(1.0, 2.0, 0.05)),
    Recipe("certus.trees.DecisionTreeClassifier", ({"min_samples_leaf": 10},), _LEAF, "native"),
    Recipe(
        "certus.graphical.BayesianNetworkClassifier",
        ({"discretizer": "mdl"},),
        {"discretizer": Choice(("mdl", "quantile")), "structure": Choice(("tan", "naive")), "alpha": Range(0.1, 10.0)},
        "native",
        (1.0, 2.0, 0.5),
    ),
    Recipe("certus.neural.TabularMLPClassifier", _QUICK_NETWORK, _NETWORK, work=_NETWORK_WORK[0], copies=12.0),
    Recipe("certus.neural.TabularMLPClassifier", ({},), work=_NETWORK_WORK[1], copies=12.0, late=True),
)

_REGRESSORS = (
    Recipe("certus.linear.Ridge", ({"alpha": 1.0}, {"alpha": 30.0}), {"alpha": _ALPHA}),
    Recipe(
        "certus.ensemble.HistGradientBoostingRegressor",
        _BOOSTING_STARTS,
        _BOOSTING,
        "native",
        (0.8, 1.0, 0.3),
    ),
    Recipe(
        "certus.ensemble.RandomForestRegressor",
        ({"n_estimators": 200, "max_features": 0.6}, {"n_estimators": 200, "min_samples_leaf": 3, "max_features": 0.3}),
        _FOREST,
        "native",
        (1.1, 0.9, 3.0),
    ),
    Recipe(
        "certus.ensemble.ExtraTreesRegressor",
        ({"n_estimators": 200, "max_features": 0.6},),
        _FOREST,
        "native",
        (1.1, 0.9, 2.0),
    ),
    Recipe("certus.svm.SVR", ({"C": 1.0}, {"C": 10.0}), _KERNEL, "scaled", (2.0, 1.0, 3.0)),
    Recipe(
        "certus.neighbors.KNeighborsRegressor",
        ({"n_neighbors": 10, "weights": "distance"},),
        _NEIGHBORS,
        "scaled",
        (2.0, 1.0, 0.5),
    ),
    Recipe("certus.linear.LinearRegression", work=(1.0, 2.0, 0.02)),
    Recipe("certus.trees.DecisionTreeRegressor", ({"min_samples_leaf": 10},), _LEAF, "native"),
    Recipe("certus.neural.TabularMLPRegressor", _QUICK_NETWORK, _NETWORK, work=_NETWORK_WORK[0], copies=12.0),
    Recipe("certus.neural.TabularMLPRegressor", ({},), work=_NETWORK_WORK[1], copies=12.0, late=True),
)


_CLUSTERS = range(2, 11)
_CLUSTERERS = (
    Recipe("certus.cluster.KMeans", tuple({"n_clusters": k, "n_init": 4} for k in _CLUSTERS)),
    Recipe("certus.cluster.BisectingKMeans", tuple({"n_clusters": k} for k in _CLUSTERS)),
    Recipe(
        "certus.cluster.KMedoids",
        # The bound is found once, for the winner.
        tuple({"n_clusters": k, "n_init": 1, "bound_effort": 0} for k in _CLUSTERS),
        work=(2.0, 1.0, 1.0),
        pairs=1.0,
    ),
    Recipe(
        "certus.mixture.GaussianMixture",
        # The prior keeps components from collapsing onto few rows, such as those of one category.
        tuple({"n_components": k, "prior": "conjugate"} for k in _CLUSTERS),
        work=(1.0, 1.5, 0.4),
    ),
)


_OFFERED = {"classification": _CLASSIFIERS, "regression": _REGRESSORS, "clustering": _CLUSTERERS}


def recipes(learners: str, families: Sequence[str] = (), *, texts: bool = False) -> list[Recipe]:
    """The recipes for classification, regression or clustering; of certain families, then all learners that suit.

    Those that read words are only offered where there are columns of texts.
    """
    known = catalogue.FAMILIES
    for family in families:
        if family not in known:
            raise StudyError(
                f"families: there is no family {family!r}.\nHint: choose from {', '.join(known)}.", options=["families"]
            )
    found = [
        recipe
        for recipe in _OFFERED[learners]
        if (not families or recipe.path.split(".")[1] in families) and catalogue.find(recipe.path) is not None
        if texts or recipe.style != "words"
    ]
    if families:
        found += further_recipes(learners, families, [recipe.path for recipe in _OFFERED[learners]])
    if not found:
        raise StudyError(
            f"families: none of {', '.join(families)} has a learner for {learners}.\nHint: leave families out.",
            options=["families"],
        )
    return found
