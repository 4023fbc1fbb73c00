"""Learners of Bayesian networks behind one face. Frames are made outside of the clock, in every library's own form."""

import warnings
from itertools import pairwise
from typing import Any

import numpy as np

ROUNDS = 20
_frames: dict[tuple[str, int, int], Any] = {}


def _names(d: int) -> list[str]:
    return [f"n{j:02d}" for j in range(d)]


def frame(library: str, X: np.ndarray) -> Any:
    """The table with texts as cells, kept per process."""
    key = (library, *X.shape)
    if key not in _frames:
        columns = {name: [f"s{code}" for code in column] for name, column in zip(_names(X.shape[1]), X.T, strict=True)}
        if library == "certus":
            import polars as pl

            _frames[key] = pl.DataFrame(columns)
        else:
            import pandas as pd

            _frames[key] = pd.DataFrame(columns)
    return _frames[key]


class StructureSearch:
    """Hill climbing by BIC; ``parents_`` is the network."""

    def __init__(self, library: str, path: str = "") -> None:
        self.library = library

    def fit(self, X: np.ndarray, _y: np.ndarray) -> Any:
        table = frame(self.library, X)
        names = _names(X.shape[1])
        if self.library == "certus":
            from certus.graphical import learn_structure

            network = learn_structure(table, random_state=0).network
            self.parents_ = {name: list(network.parents(name)) for name in names}
        elif self.library == "pyagrum":
            import pyagrum as gum

            learner = gum.BNLearner(table)
            learner.useGreedyHillClimbing()
            learner.useScoreBIC()
            learner.useSmoothingPrior(1e-3)
            found = learner.learnBN()
            self.parents_ = {
                name: [found.variable(parent).name() for parent in found.parents(found.idFromName(name))]
                for name in names
            }
        else:
            self.parents_ = self._pgmpy(table, names)
        return self

    @staticmethod
    def _pgmpy(table: Any, names: list[str]) -> dict[str, list[str]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pgmpy.estimators import HillClimbSearch

            found = HillClimbSearch(table).estimate(scoring_method="bic-d", show_progress=False)
        return {name: list(found.get_parents(name)) for name in names}


class LatentRounds:
    """Rounds of expectation and maximization with a latent class of three states over all columns."""

    def __init__(self, library: str, path: str = "") -> None:
        self.library = library

    def fit(self, X: np.ndarray, _y: np.ndarray) -> Any:
        table, names = frame(self.library, X), _names(X.shape[1])
        first = np.random.default_rng(1).dirichlet(np.ones(3), size=(len(names), 3))
        if self.library == "certus":
            self.log_likelihood_ = self._certus(table, names, first)
        else:
            self.log_likelihood_ = self._pgmpy(table, names, first, X)
        return self

    @staticmethod
    def _certus(table: Any, names: list[str], first: np.ndarray) -> float:
        from certus.graphical import BayesianNetwork, learn_tables

        states = {"hidden": ["0", "1", "2"], **{name: ["s0", "s1", "s2"] for name in names}}
        start = BayesianNetwork(
            {name: ["hidden"] for name in names},
            states,
            {"hidden": np.full(3, 1 / 3), **dict(zip(names, first, strict=True))},
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that rounds are over before they converge is the point
            return learn_tables(start, table, start=start, max_iter=ROUNDS, tol=0.0).history[-1]

    @staticmethod
    def _pgmpy(table: Any, names: list[str], first: np.ndarray, X: np.ndarray) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pgmpy.estimators import ExpectationMaximization
            from pgmpy.factors.discrete import TabularCPD
            from pgmpy.models import DiscreteBayesianNetwork

            model = DiscreteBayesianNetwork([("hidden", name) for name in names], latents={"hidden"})
            labels = {"hidden": [0, 1, 2], **{name: ["s0", "s1", "s2"] for name in names}}
            start = {"hidden": TabularCPD("hidden", 3, [[1 / 3]] * 3, state_names={"hidden": labels["hidden"]})}
            for name, values in zip(names, first, strict=True):
                own = {key: labels[key] for key in (name, "hidden")}
                start[name] = TabularCPD(name, 3, values.T, ["hidden"], [3], state_names=own)
            tables = ExpectationMaximization(model, table).get_parameters(
                latent_card={"hidden": 3}, max_iter=ROUNDS, atol=0.0, init_cpds=start, show_progress=False
            )
        found = {cpd.variable: cpd.get_values() for cpd in tables}
        joint = found["hidden"].ravel() * np.prod(
            [found[name][column].reshape(len(X), 3) for name, column in zip(names, X.T, strict=True)], axis=0
        )
        return float(np.log(joint.sum(axis=1)).sum())


class TableCounting:
    """The tables of a given structure: a chain of the columns."""

    def __init__(self, library: str, path: str = "") -> None:
        self.library = library

    def fit(self, X: np.ndarray, _y: np.ndarray) -> Any:
        table, names = frame(self.library, X), _names(X.shape[1])
        arcs = list(pairwise(names))
        if self.library == "certus":
            from certus.graphical import BayesianNetwork, learn_tables

            states = {name: [f"s{code}" for code in range(int(X[:, j].max()) + 1)] for j, name in enumerate(names)}
            found = learn_tables(BayesianNetwork({b: [a] for a, b in arcs}, states), table).network
            tables = [found.table(name) for name in names]
        elif self.library == "pyagrum":
            tables = self._pyagrum(table, names, arcs, X)
        else:
            tables = self._pgmpy(table, names, arcs)
        values = np.log(tables[0][X[:, 0]]).sum()
        for j in range(1, len(names)):
            values += np.log(tables[j][X[:, j - 1], X[:, j]]).sum()
        self.log_likelihood_ = float(values)
        return self

    @staticmethod
    def _pyagrum(table: Any, names: list[str], arcs: list[tuple[str, str]], X: np.ndarray) -> list[np.ndarray]:
        import pyagrum as gum

        network = gum.BayesNet()
        for j, name in enumerate(names):
            labels = [f"s{code}" for code in range(int(X[:, j].max()) + 1)]
            network.add(gum.LabelizedVariable(name, name, labels))
        for parent, child in arcs:
            network.addArc(parent, child)
        found = gum.BNLearner(table, network).learnParameters(network.dag())
        return [found.cpt(name).toarray() for name in names]

    @staticmethod
    def _pgmpy(table: Any, names: list[str], arcs: list[tuple[str, str]]) -> list[np.ndarray]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pgmpy.models import DiscreteBayesianNetwork

            model = DiscreteBayesianNetwork(arcs)
            model.fit(table)
            tables = [model.get_cpds(name).get_values() for name in names]
        return [tables[0].ravel(), *(values.T for values in tables[1:])]
