"""Conformal intervals of several libraries behind one face: fit(X, y), then predict(X) gives (rows, 2)."""

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import PredefinedSplit

from benchmarks.measure.task import Competitor
from certus.evaluation.conformal.cross_folds import draw_folds


@dataclass(frozen=True)
class Library(Competitor):
    """A competitor whose class lives here and whose library is named apart."""

    library: str = field(kw_only=True)

    @property
    def package(self) -> str:
        return self.library


class Given(RegressorMixin, BaseEstimator):
    """A fitted model whose single column is the prediction."""

    def __init__(self) -> None:
        self.fitted_ = True

    def fit(self, X: Any, y: Any) -> "Given":
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.asarray(X)[:, 0]


@dataclass
class CertusSplit:
    confidence: float = 0.9

    def fit(self, X: np.ndarray, y: np.ndarray) -> "CertusSplit":
        from certus.evaluation import SplitConformalRegressor

        self.model = SplitConformalRegressor(confidence=self.confidence).calibrate(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict_interval(X)


@dataclass
class MapieSplit:
    confidence: float = 0.9

    def fit(self, X: np.ndarray, y: np.ndarray) -> "MapieSplit":
        from mapie.regression import SplitConformalRegressor

        self.model = SplitConformalRegressor(Given(), confidence_level=self.confidence).conformalize(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict_interval(X)[1][:, :, 0]


@dataclass
class CrepesSplit:
    confidence: float = 0.9

    def fit(self, X: np.ndarray, y: np.ndarray) -> "CrepesSplit":
        from crepes import ConformalRegressor

        self.model = ConformalRegressor().fit(y - X[:, 0])
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict_int(X[:, 0], confidence=self.confidence)


@dataclass
class EachSample:
    """Calibrates once per row of `y`: many small samples of residuals, each giving one interval around 0."""

    split: type
    confidence: float = 0.9

    def fit(self, X: np.ndarray, y: np.ndarray) -> "EachSample":
        zeros = np.zeros((y.shape[1], 1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.models = [self.split(self.confidence).fit(zeros, sample) for sample in y]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.vstack([model.predict(np.zeros((1, 1))) for model in self.models])


def certus_samples() -> EachSample:
    return EachSample(CertusSplit)


def mapie_samples() -> EachSample:
    return EachSample(MapieSplit)


def crepes_samples() -> EachSample:
    return EachSample(CrepesSplit)


@dataclass
class CertusCross:
    cv: Any
    method: str = "plus"

    def fit(self, X: np.ndarray, y: np.ndarray) -> "CertusCross":
        from certus.evaluation import CrossConformalRegressor

        self.model = CrossConformalRegressor(LinearRegression(), cv=self.cv, method=self.method, random_state=0)
        self.model.fit(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict_interval(X)


@dataclass
class MapieCross:
    cv: int
    method: str = "plus"
    our_folds: bool = False  # the very folds that ours draws, so that widths can be compared digit by digit

    def fit(self, X: np.ndarray, y: np.ndarray) -> "MapieCross":
        from mapie.regression import CrossConformalRegressor

        cv = PredefinedSplit(draw_folds(len(y), self.cv, 0)) if self.our_folds else self.cv
        self.model = CrossConformalRegressor(LinearRegression(), cv=cv, method=self.method, random_state=0)
        self.model.fit_conformalize(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict_interval(X)[1][:, :, 0]
