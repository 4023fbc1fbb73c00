"""Candidates: a learner with one setting, and the recipes from which settings are drawn."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from certus.base import catalogue
from certus.workflow.models.mixture_groups import MixtureGroups
from certus.workflow.models.scaled_target import ScaledTarget

Style = Literal["scaled", "native", "words"]

# How a candidate is called that also sees columns made from others.
MADE = " with made columns"
# Their n_jobs is deprecated, as in scikit-learn's namesakes: setting it would only warn.
_WITHOUT_THREADS = {"certus.linear.LogisticRegression"}
# What a learner is put into: settings of a tube are in the target's units, components of a mixture are no centers.
_PUT_INTO: dict[str, Any] = {"certus.svm.SVR": ScaledTarget, "certus.mixture.GaussianMixture": MixtureGroups}


@dataclass(frozen=True)
class Candidate:
    """One learner with one setting."""

    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    style: Style = "scaled"
    made: bool = False  # whether it also sees columns that are made from others

    @property
    def name(self) -> str:
        """How the leaderboard calls it."""
        setting = ", ".join(f"{key}={_shown(value)}" for key, value in self.parameters.items())
        return f"{self.title}({setting}){MADE * self.made}"

    @property
    def title(self) -> str:
        """The learner without its settings."""
        return self.path.replace(":", ".").rsplit(".", 1)[1]

    @property
    def foreign(self) -> bool:
        """Whether another library made it."""
        return ":" in self.path

    @property
    def key(self) -> str:
        """The candidate as one line of text, equal for equal candidates."""
        facts = [self.path, dict(self.parameters), self.style, *([MADE] if self.made else [])]
        return json.dumps(facts, sort_keys=True, default=repr)

    def _find_foreign(self) -> Any:
        module, _, name = self.path.partition(":")
        return getattr(importlib.import_module(module), name)

    def build(self, *, seed: int, threads: int, categories: int) -> Any:
        """A fresh, unfitted learner; with native encoding its first columns are the categories."""
        kind: Any = self._find_foreign() if self.foreign else catalogue.find(self.path)
        assert kind is not None, self.path
        learner = kind(**self.parameters)
        offered = learner.get_params()
        extra: dict[str, Any] = {"random_state": seed}
        if self.path not in _WITHOUT_THREADS:
            extra["n_jobs"] = threads
        if self.style == "native" and categories:
            extra["categorical_features"] = list(range(categories))
        learner.set_params(**{name: value for name, value in extra.items() if name in offered})
        return _PUT_INTO[self.path](learner) if self.path in _PUT_INTO else learner


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else repr(value)


@dataclass(frozen=True)
class Range:
    """A number between two ends, drawn evenly or evenly in its logarithm."""

    low: float
    high: float
    log: bool = True
    integer: bool = False

    def draw(self, rng: np.random.Generator) -> float:
        """Any value."""
        return self._value(rng.random())

    def near(self, value: float, rng: np.random.Generator) -> float:
        """A value in the neighborhood: normal steps of a sixth of the range, reflected at the ends."""
        ends = np.log([self.low, self.high]) if self.log else np.array([self.low, self.high])
        fraction = ((np.log(value) if self.log else value) - ends[0]) / (ends[1] - ends[0])
        moved = abs(fraction + rng.normal(scale=1 / 6)) % 2.0
        return self._value(2.0 - moved if moved > 1.0 else moved)

    def _value(self, fraction: float) -> float:
        ends = np.log([self.low, self.high]) if self.log else np.array([self.low, self.high])
        value = float(ends[0] + fraction * (ends[1] - ends[0]))
        value = float(np.exp(value)) if self.log else value
        return round(value) if self.integer else float(f"{value:.3g}")


@dataclass(frozen=True)
class Choice:
    """One of a few values."""

    options: tuple[Any, ...]

    def draw(self, rng: np.random.Generator) -> Any:
        """Any of them."""
        return self.options[int(rng.integers(len(self.options)))]

    def near(self, value: Any, rng: np.random.Generator) -> Any:
        """The same one more often than not."""
        return value if rng.random() < 0.7 else self.draw(rng)


@dataclass(frozen=True)
class Recipe:
    """How candidates of one learner are made.

    Attributes
    ----------
    path : str
        The learner's import path.
    starts : sequence of dict
        Settings that are tried first, the best bet first.
    space : dict of str to Range or Choice
        What may be varied.
    style : {"scaled", "native", "words"}
        The encoding that suits it; "words" only where there are columns of texts.
    work : tuple of float
        Exponents of rows and encoded columns in the cost of a fit, and the seconds for 10 000 rows and 20 columns.
    copies, pairs : float
        Memory of a fit: copies of the encoded rows, and numbers for every pair of rows.
    late : bool
        Whether it is tried after all those that are not.
    """

    path: str
    starts: Sequence[Mapping[str, Any]] = ({},)
    space: Mapping[str, Range | Choice] = field(default_factory=dict)
    style: Style = "scaled"
    work: tuple[float, float, float] = (1.0, 1.0, 0.05)
    copies: float = 4.0
    pairs: float = 0.0
    late: bool = False

    def seconds(self, rows: int, columns: float) -> float:
        """Rough time of one fit, before anything was measured."""
        by_rows, by_columns, unit = self.work
        return float(unit * (rows / 1e4) ** by_rows * (columns / 20) ** by_columns)

    def candidates(self) -> list[Candidate]:
        """The settings that are tried first."""
        return [Candidate(self.path, start, self.style) for start in self.starts]

    def draw(self, rng: np.random.Generator, near: Candidate | None) -> Candidate:
        """A new setting, anywhere or near a good one."""
        found = {}
        for name, values in self.space.items():
            known = near is not None and name in near.parameters
            found[name] = values.near(near.parameters[name], rng) if near and known else values.draw(rng)
        fixed = {name: value for name, value in self.starts[0].items() if name not in self.space}
        return Candidate(self.path, {**fixed, **found}, self.style, near is not None and near.made)
