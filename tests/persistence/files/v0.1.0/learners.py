"""The learners that are saved, by the name of their file; part of `write.py`, run with version 0.1.0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, PolynomialFeatures, StandardScaler

from certus import bayes, cluster, ensemble, kernels, linear, multioutput, neighbors, svm, trees

GAMMA = 0.5  # of every Gaussian kernel, so that the matrix of kernel values can be computed by its definition
MEMBERS = {"n_estimators": 4, "random_state": 0}
SHORT = {"max_iter": 4, "min_samples_leaf": 3, "max_leaf_nodes": 4, "random_state": 0}


@dataclass(frozen=True)
class Case:
    """A learner, the table that it is trained on, and how."""

    learner: Any
    table: str
    weighted: bool = False
    sparse: bool = False
    gram: bool = False  # trained on the matrix of kernel values instead of the rows
    certify: dict[str, Any] | None = None  # options with which the rows that are only predicted certify it


def linear_cases() -> dict[str, Case]:
    """Least squares, paths, smooth losses."""
    logistic = linear.LogisticRegression
    saga = {"solver": "saga", "random_state": 0, "max_iter": 500}
    return {
        "least-squares": Case(linear.LinearRegression(), "numbers"),
        "least-squares-nonnegative": Case(linear.LinearRegression(positive=True), "numbers"),
        "least-squares-targets": Case(linear.LinearRegression(), "targets", weighted=True),
        "ridge": Case(linear.Ridge(alpha=0.7), "numbers"),
        "ridge-targets": Case(linear.Ridge(alpha=[0.1, 2.0], fit_intercept=False), "targets"),
        "ridge-sparse": Case(linear.Ridge(alpha=0.7, solver="sparse_cg"), "numbers", sparse=True),
        "ridge-cv": Case(linear.RidgeCV(alphas=(0.1, 1.0)), "numbers"),
        "ridge-classifier": Case(linear.RidgeClassifier(), "classes"),
        "ridge-classifier-cv": Case(linear.RidgeClassifierCV(), "binary"),
        "lasso": Case(linear.Lasso(alpha=0.2), "wide"),
        "lasso-nonnegative": Case(linear.Lasso(alpha=0.1, positive=True), "wide"),
        "lasso-cv": Case(linear.LassoCV(alphas=5, cv=3), "wide"),
        "elastic-net": Case(linear.ElasticNet(alpha=0.1), "wide", weighted=True),
        "elastic-net-cv": Case(linear.ElasticNetCV(alphas=5, cv=3), "numbers"),
        "multi-task-lasso": Case(linear.MultiTaskLasso(alpha=0.3), "targets"),
        "multi-task-lasso-cv": Case(linear.MultiTaskLassoCV(alphas=4, cv=3), "targets"),
        "multi-task-elastic-net": Case(linear.MultiTaskElasticNet(alpha=0.2), "targets"),
        "multi-task-elastic-net-cv": Case(linear.MultiTaskElasticNetCV(alphas=4, cv=3), "targets"),
        "logistic": Case(logistic(), "binary"),
        "logistic-classes": Case(logistic(class_weight="balanced"), "classes", weighted=True),
        "logistic-l1": Case(logistic(l1_ratio=1.0, C=0.5, **saga), "binary"),
        "logistic-l1-classes": Case(logistic(l1_ratio=1.0, C=0.5, **saga), "classes"),
        "logistic-elastic-net": Case(logistic(l1_ratio=0.4, **saga), "classes"),
        "logistic-scaled-intercept": Case(logistic(solver="liblinear", intercept_scaling=2.0), "binary"),
        "logistic-dual": Case(logistic(solver="liblinear", dual=True, random_state=0, max_iter=1000), "binary"),
        "logistic-unpenalized": Case(logistic(C=float("inf")), "binary"),
        "logistic-separated": Case(logistic(C=float("inf")), "separable"),
        "logistic-cv": Case(
            linear.LogisticRegressionCV(
                Cs=(0.1, 1.0), cv=3, l1_ratios=(0,), scoring="neg_log_loss", use_legacy_attributes=False
            ),
            "binary",
        ),
        "poisson": Case(linear.PoissonRegressor(alpha=0.3), "counts", weighted=True),
        "poisson-unpenalized": Case(linear.PoissonRegressor(alpha=0.0, solver="newton-cholesky"), "counts"),
        "poisson-separated": Case(linear.PoissonRegressor(alpha=0.0, solver="newton-cholesky"), "zeros"),
        "gamma": Case(linear.GammaRegressor(alpha=0.3), "positive"),
        "gamma-unpenalized": Case(linear.GammaRegressor(alpha=0.0), "positive"),
        "huber": Case(linear.HuberRegressor(alpha=0.01), "numbers"),
        "huber-weighted": Case(linear.HuberRegressor(epsilon=1.1, fit_intercept=False), "numbers", weighted=True),
        "quantile": Case(linear.QuantileRegressor(quantile=0.7, alpha=0.05), "numbers"),
        "quantile-unpenalized": Case(linear.QuantileRegressor(alpha=0.0), "numbers", weighted=True),
    }


def linear_machine_cases() -> dict[str, Case]:
    """Linear machines, stochastic descent, perceptrons."""
    stochastic = {"random_state": 0, "max_iter": 50, "tol": None}
    return {
        "linear-svc": Case(linear.LinearSVC(), "binary"),
        "linear-svc-hinge": Case(linear.LinearSVC(loss="hinge", C=0.5), "classes", weighted=True),
        "linear-svc-l1": Case(linear.LinearSVC(penalty="l1", dual=False), "binary"),
        "linear-svc-no-intercept": Case(linear.LinearSVC(fit_intercept=False, class_weight="balanced"), "binary"),
        "linear-svc-crammer-singer": Case(linear.LinearSVC(multi_class="crammer_singer", random_state=0), "classes"),
        "linear-svr": Case(linear.LinearSVR(epsilon=0.1), "numbers"),
        "linear-svr-squared": Case(linear.LinearSVR(loss="squared_epsilon_insensitive", dual=False), "numbers"),
        "sgd-hinge": Case(linear.SGDClassifier(alpha=0.01, **stochastic), "binary"),
        "sgd-log": Case(linear.SGDClassifier(loss="log_loss", alpha=0.01, average=True, **stochastic), "classes"),
        "sgd-huber": Case(linear.SGDClassifier(loss="modified_huber", alpha=0.01, **stochastic), "binary"),
        "sgd-squared-hinge": Case(
            linear.SGDClassifier(loss="squared_hinge", penalty="elasticnet", alpha=0.05, **stochastic), "binary"
        ),
        "sgd-l1": Case(linear.SGDClassifier(penalty="l1", alpha=0.01, **stochastic), "binary"),
        "sgd-regressor": Case(linear.SGDRegressor(alpha=0.01, **stochastic), "numbers", weighted=True),
        "sgd-regressor-huber": Case(linear.SGDRegressor(loss="huber", alpha=0.01, **stochastic), "numbers"),
        "sgd-regressor-tube": Case(
            linear.SGDRegressor(loss="epsilon_insensitive", alpha=0.01, **stochastic), "numbers"
        ),
        "perceptron": Case(linear.Perceptron(), "separable"),
        "perceptron-not-separated": Case(linear.Perceptron(max_iter=5, tol=None), "binary"),
        "perceptron-averaged": Case(linear.Perceptron(variant="averaged"), "separable"),
        "perceptron-pocket": Case(linear.Perceptron(variant="pocket", max_iter=5, tol=None), "binary"),
        "pipeline": Case(make_pipeline(StandardScaler(), linear.LogisticRegression()), "classes"),
    }


def svm_cases() -> dict[str, Case]:
    """Support vector machines."""
    inf = float("inf")
    return {
        "svc": Case(svm.SVC(gamma=GAMMA), "binary"),
        "svc-fixed-kernel": Case(svm.SVC(gamma=0.1, C=2.0, tol=1e-9), "separable"),
        "svc-classes": Case(svm.SVC(gamma=GAMMA, class_weight="balanced"), "classes", weighted=True),
        "svc-pairs": Case(svm.SVC(kernel="poly", degree=2, coef0=1.0, decision_function_shape="ovo"), "classes"),
        "svc-linear": Case(svm.SVC(kernel="linear", tol=1e-9), "separable"),
        "svc-without-intercept": Case(svm.SVC(gamma=2.0, fit_intercept=False, tol=1e-9), "binary"),
        "svc-sigmoid": Case(svm.SVC(kernel="sigmoid", gamma=0.1), "binary"),
        "svc-sparse": Case(svm.SVC(kernel="linear"), "binary", sparse=True),
        "svc-precomputed": Case(svm.SVC(kernel="precomputed"), "binary", gram=True),
        "svc-kernel-object": Case(svm.SVC(kernel=kernels.Gaussian(GAMMA)), "binary"),
        "svc-hard": Case(svm.SVC(kernel="linear", C=inf), "separable"),
        "svc-hard-impossible": Case(svm.SVC(kernel="linear", C=inf), "binary"),
        "svc-hard-impossible-classes": Case(svm.SVC(kernel="linear", C=inf), "classes"),
        "nu-svc": Case(svm.NuSVC(nu=0.4, gamma=GAMMA), "binary"),
        "nu-svc-classes": Case(svm.NuSVC(nu=0.3, gamma=GAMMA), "classes"),
        "one-vs-rest": Case(svm.OneVsRestSVC(gamma=GAMMA), "classes"),
        "one-vs-rest-binary": Case(svm.OneVsRestSVC(gamma=GAMMA), "binary"),
        "svr": Case(svm.SVR(gamma=GAMMA), "numbers", weighted=True),
        "svr-fixed-kernel": Case(svm.SVR(gamma=0.1, tol=1e-9), "numbers"),
        "svr-hard-impossible": Case(svm.SVR(kernel="linear", C=inf, epsilon=0.001), "numbers"),
        "nu-svr": Case(svm.NuSVR(gamma=GAMMA), "numbers"),
        "one-class": Case(svm.OneClassSVM(gamma=GAMMA, nu=0.3), "blobs"),
    }


def kernel_cases() -> dict[str, Case]:
    """Kernel machines and approximations."""
    rbf = {"kernel": "rbf", "gamma": GAMMA}
    regressors = {
        f"machine-{loss.replace('_', '-')}": Case(
            kernels.KernelMachineRegressor(loss=loss, alpha=0.5, **rbf), "numbers", weighted=loss == "huber"
        )
        for loss in ("huber", "squared", "epsilon_insensitive", "squared_epsilon_insensitive", "quantile", "absolute")
    }
    classifiers = {
        f"machine-of-classes-{loss.replace('_', '-')}": Case(
            kernels.KernelMachineClassifier(loss=loss, alpha=0.5, **rbf), "binary" if loss == "hinge" else "classes"
        )
        for loss in ("hinge", "squared_hinge", "logistic", "squared", "exponential")
    }
    return {
        **regressors,
        **classifiers,
        "logistic": Case(kernels.KernelLogistic(**rbf), "binary"),
        "logistic-classes": Case(kernels.KernelLogistic(class_weight="balanced", **rbf), "classes"),
        "ridge": Case(kernels.KernelRidge(alpha=0.3, **rbf), "numbers", weighted=True),
        "ridge-targets": Case(kernels.KernelRidge(alpha=[0.3, 1.0], **rbf), "targets"),
        "ridge-precomputed": Case(kernels.KernelRidge(alpha=0.3, kernel="precomputed"), "numbers", gram=True),
        "perceptron": Case(kernels.KernelPerceptron(**rbf), "separable"),
        "perceptron-averaged": Case(kernels.KernelPerceptron(variant="averaged", max_iter=5, **rbf), "classes"),
        "perceptron-voted": Case(kernels.KernelPerceptron(variant="voted", max_iter=5, **rbf), "binary"),
        "nystroem": Case(kernels.Nystroem(n_components=6, random_state=0, **rbf), "numbers"),
        "nystroem-leverage": Case(kernels.Nystroem(n_components=6, random_state=0, sampling="leverage", **rbf), "wide"),
        "fourier": Case(kernels.RandomFourierFeatures(n_components=16, random_state=0, gamma=GAMMA), "numbers"),
        "sampler": Case(kernels.RBFSampler(n_components=16, random_state=0, gamma=GAMMA), "numbers"),
        "pipeline": Case(
            make_pipeline(kernels.Nystroem(n_components=6, random_state=0, **rbf), linear.LogisticRegression()),
            "binary",
        ),
        "kernel-tanh": Case(svm.SVC(kernel=kernels.Tanh(0.1)), "binary"),
        "kernel-precomputed": Case(
            kernels.KernelRidge(0.5, kernel=kernels.Precomputed(np.minimum.outer(range(40), range(40)) + 1.0)), "places"
        ),
        **{f"kernel-{name}": Case(kernels.KernelRidge(0.5, kernel=one), "inside") for name, one in _kernels().items()},
    }


def _kernels() -> dict[str, Any]:
    """One of every kernel that may be in a file."""
    gaussian, line = kernels.Gaussian(GAMMA), kernels.Linear()
    return {
        "all-subsets": kernels.AllSubsets(),
        "anova": kernels.Anova(2),
        "arc-cosine": kernels.ArcCosine(1),
        "constant": kernels.Constant(2.0),
        "exp": kernels.Exp(line),
        "exponential": kernels.Exponential(0.5),
        "gaussian-of": kernels.GaussianOf(kernels.Polynomial(2), 0.3),
        "geometric-series": kernels.GeometricSeries(0.2),
        "laplacian": kernels.Laplacian(0.5),
        "linear-with-metric": kernels.Linear([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        "matern": kernels.Matern(1.0, 2.5),
        "minimum": kernels.Minimum(),
        "normalized": kernels.Normalized(kernels.Polynomial(3)),
        "power": kernels.Power(gaussian, 2),
        "product": kernels.Product(gaussian, line),
        "scaled": kernels.Scaled(gaussian, 3.0),
        "spline": kernels.Spline(),
        "sum": kernels.Sum(gaussian, kernels.Scaled(line, 0.1)),
        "tensor": kernels.Tensor(gaussian, line, columns=1),
        "truncated-exponential": kernels.TruncatedExponential(3, 0.5),
    }


def tree_cases() -> dict[str, Case]:
    """Trees, forests, votes and boosting."""
    codes = {"categorical_features": [0, 3]}
    e, small = ensemble, trees.DecisionTreeClassifier(max_depth=2)
    linear_member = linear.LogisticRegression()
    return {
        "tree": Case(trees.DecisionTreeClassifier(max_depth=3), "classes"),
        "tree-categories": Case(trees.DecisionTreeClassifier(max_depth=3, **codes), "mixed"),
        "tree-pruned": Case(trees.DecisionTreeClassifier(ccp_alpha=0.02, class_weight="balanced"), "binary"),
        "tree-labels": Case(trees.DecisionTreeClassifier(max_depth=2), "labels"),
        "tree-regressor": Case(trees.DecisionTreeRegressor(max_depth=3), "numbers", weighted=True),
        "tree-regressor-absolute": Case(
            trees.DecisionTreeRegressor(criterion="absolute_error", max_depth=2, **codes), "mixed_numbers"
        ),
        "tree-regressor-targets": Case(trees.DecisionTreeRegressor(max_depth=2), "targets"),
        "extra-tree": Case(trees.ExtraTreeClassifier(max_depth=3, random_state=0), "classes"),
        "extra-tree-regressor": Case(trees.ExtraTreeRegressor(max_depth=3, random_state=0), "numbers"),
        "forest": Case(e.RandomForestClassifier(20, max_depth=2, oob_score=True, random_state=0), "binary"),
        "forest-pure": Case(e.RandomForestClassifier(**MEMBERS), "binary"),
        "forest-categories": Case(e.RandomForestClassifier(max_depth=3, **MEMBERS, **codes), "mixed"),
        "forest-labels": Case(e.RandomForestClassifier(max_depth=2, **MEMBERS), "labels"),
        "forest-regressor": Case(e.RandomForestRegressor(max_depth=3, oob_score=False, **MEMBERS), "numbers"),
        "extra-trees": Case(e.ExtraTreesClassifier(max_depth=3, **MEMBERS), "classes"),
        "extra-trees-bags": Case(e.ExtraTreesClassifier(max_depth=3, bootstrap=True, **MEMBERS), "binary"),
        "extra-trees-regressor": Case(e.ExtraTreesRegressor(max_depth=3, **MEMBERS), "targets"),
        "bagging": Case(e.BaggingClassifier(small, 8, oob_score=True, random_state=0), "binary"),
        "bagging-machines": Case(e.BaggingClassifier(linear_member, max_features=2, **MEMBERS), "classes"),
        "bagging-regressor": Case(e.BaggingRegressor(trees.DecisionTreeRegressor(max_depth=2), **MEMBERS), "numbers"),
        "ada-boost": Case(e.AdaBoostClassifier(n_estimators=6, random_state=0), "binary"),
        "ada-boost-classes": Case(e.AdaBoostClassifier(small, n_estimators=5, random_state=0), "classes"),
        "ada-boost-regressor": Case(e.AdaBoostRegressor(n_estimators=4, random_state=0), "numbers"),
    }


def boosting_cases() -> dict[str, Case]:
    """Both kinds of gradient boosting."""
    codes = {"categorical_features": [0, 3]}
    e, few = ensemble, {"n_estimators": 4, "max_depth": 2, "random_state": 0}
    return {
        "boosting": Case(e.GradientBoostingClassifier(**few), "binary"),
        "boosting-classes": Case(e.GradientBoostingClassifier(subsample=0.7, **few), "classes", weighted=True),
        "boosting-exponential": Case(e.GradientBoostingClassifier(loss="exponential", **few), "binary"),
        "boosting-with-init": Case(e.GradientBoostingRegressor(init=linear.Ridge(), **few), "numbers"),
        **{
            f"boosting-{loss.replace('_', '-')}": Case(e.GradientBoostingRegressor(loss=loss, **few), "numbers")
            for loss in ("squared_error", "absolute_error", "huber", "quantile")
        },
        "hist-boosting": Case(e.HistGradientBoostingClassifier(**SHORT), "binary"),
        "hist-boosting-categories": Case(e.HistGradientBoostingClassifier(**SHORT, **codes), "mixed"),
        "hist-boosting-classes": Case(e.HistGradientBoostingClassifier(max_depth=2, **SHORT), "classes"),
        "hist-boosting-number-categories": Case(e.HistGradientBoostingRegressor(**SHORT, **codes), "mixed_numbers"),
        "hist-boosting-poisson": Case(e.HistGradientBoostingRegressor(loss="poisson", **SHORT), "counts"),
        "hist-boosting-gamma": Case(e.HistGradientBoostingRegressor(loss="gamma", **SHORT), "positive"),
        "hist-boosting-quantile": Case(
            e.HistGradientBoostingRegressor(loss="quantile", quantile=0.7, **SHORT), "numbers"
        ),
        "hist-boosting-absolute": Case(e.HistGradientBoostingRegressor(loss="absolute_error", **SHORT), "numbers"),
        "hist-boosting-stopped": Case(e.HistGradientBoostingRegressor(early_stopping=True, **SHORT), "numbers"),
    }


def other_cases() -> dict[str, Case]:
    """Bayes, neighbors, clusters, several outputs."""
    several = multioutput.MultiOutputClassifier
    return {
        "gaussian-nb": Case(bayes.GaussianNB(), "classes", weighted=True),
        "linear-discriminant": Case(bayes.LinearDiscriminantAnalysis(), "classes"),
        "linear-discriminant-shrunk": Case(
            bayes.LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto", store_covariance=True), "binary"
        ),
        "quadratic-discriminant": Case(bayes.QuadraticDiscriminantAnalysis(store_covariance=True), "binary"),
        "quadratic-discriminant-reg": Case(bayes.QuadraticDiscriminantAnalysis(reg_param=0.2), "classes"),
        "neighbors": Case(neighbors.KNeighborsClassifier(3), "classes"),
        "neighbors-labels": Case(neighbors.KNeighborsClassifier(3, weights="distance"), "labels"),
        "neighbors-regressor": Case(neighbors.KNeighborsRegressor(4, p=1, algorithm="brute"), "targets"),
        "neighbors-regressor-tree": Case(neighbors.KNeighborsRegressor(4, algorithm="kd_tree", leaf_size=4), "numbers"),
        "k-means": Case(cluster.KMeans(3, n_init=2, random_state=0), "blobs"),
        "k-means-dual": Case(cluster.KMeans(3, n_init=2, random_state=0, bound_effort=200), "blobs"),
        "k-means-weighted": Case(cluster.KMeans(3, n_init=2, random_state=0), "blobs", weighted=True),
        "several-outputs": Case(several(linear.LogisticRegression()), "labels"),
        "several-outputs-trees": Case(several(trees.DecisionTreeClassifier(max_depth=2)), "labels"),
        "certified": Case(bayes.GaussianNB(), "binary", certify={}),
        "certified-classes": Case(linear.LogisticRegression(), "classes", certify={"jointly": True}),
        "certified-numbers": Case(linear.Ridge(), "numbers", certify={"loss": "absolute", "loss_range": (0.0, 9.0)}),
        "certified-clusters": Case(cluster.KMeans(3, n_init=2, random_state=0), "blobs", certify={"cap": 9.0}),
        "certified-labels": Case(several(linear.LogisticRegression()), "labels", certify={"confidence": 0.9}),
        "prepared": Case(make_pipeline(_preparation(), linear.LogisticRegression()), "mixed"),
        "unfitted": Case(ensemble.RandomForestClassifier(7, max_depth=3), ""),
    }


def _preparation() -> Any:
    """Every part of scikit-learn that may be in a file."""
    filled = make_pipeline(
        SimpleImputer(add_indicator=True), make_union(MinMaxScaler(), PolynomialFeatures(2), StandardScaler())
    )
    return make_column_transformer(
        (filled, [1, 2]), (OneHotEncoder(sparse_output=False), [0]), (OrdinalEncoder(), [3]), ("passthrough", [2])
    )


FAMILIES = {
    "linear": linear_cases,
    "linear-machines": linear_machine_cases,
    "svm": svm_cases,
    "kernels": kernel_cases,
    "trees": tree_cases,
    "boosting": boosting_cases,
    "others": other_cases,
}
