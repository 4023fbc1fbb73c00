"""The generative classifier: a density per class and Bayes' rule."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from certus.base import fit_method, predict_method, register, resolve_seed
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights, check_X, check_Xy
from certus.base.params import HasMethods, InstanceOf, OneOf
from certus.base.persistence import check_shapes
from certus.bayes.counting.joint_classifier import JointClassifier
from certus.bayes.counting.linear_form import LinearForm, linear_form
from certus.bayes.densities import class_densities as densities
from certus.distributions import ConjugateModel
from certus.guarantees import Report

Floats = NDArray[np.float64]


@register(guarantees=("held-out error bound",), cost="fit O(n p^2 + k p^3), predict O(n p^2 k) for k classes")
class BayesClassifier(JointClassifier):
    """Generative classifier: any density per class, joined by Bayes' rule.

    Predicts argmax_c P(c) p(x | c), with P(c) the share of class c and p(x | c) a density estimated from the rows of
    c. It can draw new rows (`sample`), and where the scores are linear it says how (`to_linear`).

    Parameters
    ----------
    density : str, conjugate model or object with fit and score_samples, default="gaussian"
        "gaussian" (a covariance per class), "shared_gaussian" (one for all: linear discriminant analysis),
        "diagonal_gaussian", "multinomial" (counts of words), a model of `certus.distributions` as prior of every
        class, or any density estimator, cloned for every class.
    estimation : {"ml", "map", "predictive"}, default="ml"
        Maximum likelihood, maximum a posteriori, or the predictive distribution with the parameters integrated out. The
        named densities have weak priors: one imaginary row with the mean and covariance of all classes for "gaussian",
        one of every word for "multinomial".

    Attributes
    ----------
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class, by weight.
    parameters_ : dict of str to ndarray
        Parameters of the classes' densities, for named densities.
    densities_ : list
        The classes' densities, for models and estimators.

    Examples
    --------
    >>> from certus.bayes import BayesClassifier
    >>> model = BayesClassifier("shared_gaussian").fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> print(model.predict([[2.0]]), model.to_linear().coef.round(6))
    ['a'] [[16.]]
    """

    _constraints = {
        "density": [OneOf(*densities.NAMES), InstanceOf(ConjugateModel), HasMethods("fit", "score_samples")],
        "estimation": [OneOf(*densities.ESTIMATIONS)],
    }
    _state = ("classes_", "class_prior_", "parameters_", "densities_")

    def __init__(self, density: Any = "gaussian", *, estimation: str = "ml") -> None:
        self.density = density
        self.estimation = estimation

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> BayesClassifier:
        """Estimate the density of every class from its rows."""
        table, labels = check_Xy(self, X, y, dtype=np.float64, largest=1e50)
        given = check_weights(self, sample_weight, table)
        weights = np.ones(len(table)) if given is None else given
        table, labels, weights = table[weights > 0], labels[weights > 0], weights[weights > 0]
        codes = self._encode_labels(labels)
        places = [codes == c for c in range(len(self.classes_))]
        groups = [(table[mine], weights[mine]) for mine in places]
        self.class_prior_ = np.array([weight.sum() for _, weight in groups]) / weights.sum()
        self.parameters_: dict[str, Any] = {}
        self.densities_: list[Any] = []
        if isinstance(self.density, str):
            self.parameters_ = densities.fit_named(self.density, self.estimation, groups)
        elif isinstance(self.density, ConjugateModel):
            self.densities_ = densities.fit_model(self.density, self.estimation, groups)
        else:
            options = [{} if given is None else {"sample_weight": weight} for _, weight in groups]
            self.densities_ = [
                clone(self.density).fit(rows, **each) for (rows, _), each in zip(groups, options, strict=True)
            ]
        self.report_ = Report()
        return self

    def _restored(self) -> None:
        """Called after loading from a file, which could say anything: the parameters must be those of densities."""
        if not hasattr(self, "classes_"):
            return
        classes, width = len(self.classes_), self.n_features_in_
        check_shapes(self, class_prior_=(classes,))
        if isinstance(self.density, str):
            found = densities.log_densities(self.parameters_, np.zeros((1, width)))
            if found.shape != (1, classes):
                raise ValueError("parameters_ are not those of one density per class.")
        elif len(self.densities_) != classes:
            raise ValueError("there is not one density per class.")

    @predict_method
    def predict_joint_log_proba(self, X: TableLike) -> NDArray[Any]:
        """``log P(c) + log p(x | c)`` for every row and class, in the order of ``classes_``."""
        table = check_X(self, X, dtype=np.float64, largest=1e50)
        if self.parameters_:
            found = densities.log_densities(self.parameters_, table)
        elif isinstance(self.density, ConjugateModel):
            found = densities.model_log_densities(self.densities_, self.density, table)
        else:
            found = np.column_stack([each.score_samples(table) for each in self.densities_])
        return np.asarray(found + np.log(self.class_prior_))

    @predict_method
    def sample(
        self, n: int, label: Any = None, random_state: RandomStateLike = None, *, length: int = 100
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Draw new rows with their labels: labels by their share, or all of one label.

        Parameters
        ----------
        n : int
            Number of rows.
        label : object, default=None
            The class of all rows; by default classes are drawn by their share.
        random_state : int, RandomState instance or None, default=None
            Seed.
        length : int, default=100
            Words per row, for density="multinomial".

        Returns
        -------
        X : ndarray of shape (n, n_features)
        y : ndarray of shape (n,)
        """
        generator = np.random.default_rng(resolve_seed(random_state))
        if label is None:
            codes = generator.choice(len(self.classes_), size=n, p=self.class_prior_)
        elif label in self.classes_:
            codes = np.full(n, int(np.flatnonzero(self.classes_ == label)[0]))
        else:
            raise ValueError(f"label must be one of {self.classes_.tolist()}, got {label!r}.")
        rows = np.empty((n, self.n_features_in_))
        for c in np.unique(codes):
            mine = codes == c
            rows[mine] = self._draw(int(c), int(mine.sum()), generator, length)
        return rows, self.classes_[codes]

    def _draw(self, c: int, n: int, generator: np.random.Generator, length: int) -> NDArray[Any]:
        if "log_theta" in self.parameters_:
            return generator.multinomial(length, np.exp(self.parameters_["log_theta"][c]), size=n)
        if "alpha" in self.parameters_:
            return generator.multinomial(length, generator.dirichlet(self.parameters_["alpha"][c], size=n))
        law = densities.laws(self.parameters_)[c] if self.parameters_ else self.densities_[c]
        if hasattr(law, "log_density"):
            return np.asarray(law.sample(n, generator)).reshape(n, -1)
        if not hasattr(law, "sample"):
            raise ValueError(f"density must have a method sample to draw rows, got {self.density!r}.")
        drawn = law.sample(n)
        return np.asarray(drawn[0] if isinstance(drawn, tuple) else drawn)

    @predict_method
    def to_linear(self) -> LinearForm:
        """Coefficients and intercepts of the linear scores that decide as this model does.

        Of "shared_gaussian", ``inv(S) mu_c`` and ``-mu_c' inv(S) mu_c / 2 + log P(c)``: linear discriminant analysis
        and, for two classes, the logistic model. Of "multinomial", ``log theta_c`` and ``log P(c)``.
        """
        prior = np.log(self.class_prior_)
        if self.density == "shared_gaussian":
            means = self.parameters_["mean"]
            coef = np.linalg.solve(self.parameters_["covariance"][0], means.T).T
            intercept = prior - 0.5 * (means * coef).sum(axis=1)
        elif "log_theta" in self.parameters_:
            coef, intercept = self.parameters_["log_theta"], prior
        else:
            raise ValueError(
                "to_linear needs density='shared_gaussian', or density='multinomial' by 'ml' or 'map', got "
                f"density={self.density!r} and estimation={self.estimation!r}: their scores are not linear."
            )
        return linear_form(coef, intercept)
