"""Exact inference and sampling in Bayesian networks; ``fit`` reads the text of a BIF file, ``predict`` answers.

What is asked: "marginals" (all of them, planned anew for every row of evidence), "tree" (the same through one tree),
"rows" (the last node of every row), "sample" (as many rows as there are; the share of each state is returned).
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np


def _file(text: str) -> str:
    handle, path = tempfile.mkstemp(suffix=".bif")
    with os.fdopen(handle, "w") as stream:
        stream.write(text)
    return path


class CertusNetwork:
    """Ours."""

    def __init__(self, ask: str) -> None:
        self.ask = ask

    def fit(self, _X: np.ndarray, y: np.ndarray) -> Any:
        from certus.graphical import JunctionTree, read_network

        path = _file(str(y[0]))
        self.network = read_network(path)
        Path(path).unlink()
        self.tree = JunctionTree(self.network) if self.ask == "tree" else None
        return self

    def predict(self, codes: np.ndarray) -> Any:
        network, names = self.network, self.network.nodes
        if self.ask == "sample":
            table = network.sample(len(codes), random_state=0)
            return {v: np.array([(table[v] == state).mean() for state in network.states(v)]) for v in names}
        if self.ask == "rows":
            import polars

            labels = {v: polars.Series(network.states(v)) for v in names[:-1]}
            columns = {v: labels[v].gather(codes[:, place]) for place, v in enumerate(names[:-1])}
            return network.query_rows(columns, names[-1])
        engine = self.tree or network
        found = []
        for row in codes:
            evidence = {v: network.states(v)[state] for v, state in zip(names, row, strict=True) if state >= 0}
            found += list(engine.marginals(evidence).values())
        return np.concatenate(found)


class AgrumNetwork:
    """pyAgrum with one of its engines, on one thread as the measured process allows."""

    def __init__(self, ask: str, engine: str = "LazyPropagation") -> None:
        self.ask, self.engine = ask, engine

    def fit(self, _X: np.ndarray, y: np.ndarray) -> Any:
        import pyagrum

        path = _file(str(y[0]))
        self.network = pyagrum.loadBN(path)
        Path(path).unlink()
        from benchmarks.problems.network_data import parsed

        self.names = parsed(str(y[0])).nodes
        self.labels = parsed(str(y[0]))
        return self

    def _made(self) -> Any:
        import pyagrum

        return getattr(pyagrum, self.engine)(self.network)

    def _evidence(self, row: np.ndarray) -> dict[str, str]:
        return {v: self.labels.states(v)[state] for v, state in zip(self.names, row, strict=True) if state >= 0}

    def predict(self, codes: np.ndarray) -> Any:
        import pyagrum

        if self.ask == "sample":
            generator = pyagrum.BNDatabaseGenerator(self.network)
            generator.drawSamples(len(codes))
            table = generator.to_pandas()
            return {v: np.array([(table[v] == state).mean() for state in self.labels.states(v)]) for v in self.names}
        found, engine = [], self._made()
        for row in codes:
            engine = self._made() if self.ask == "marginals" else engine
            engine.setEvidence(self._evidence(row))
            if self.ask == "rows":
                engine.setTargets({self.names[-1]})
            engine.makeInference()
            asked = (
                self.names[-1:] if self.ask == "rows" else [v for v, s in zip(self.names, row, strict=True) if s < 0]
            )
            found += [engine.posterior(v).toarray() for v in asked]
        return np.array(found) if self.ask == "rows" else np.concatenate(found)


class PgmpyNetwork:
    """pgmpy's elimination, a query per node."""

    def __init__(self, ask: str) -> None:
        self.ask = ask

    def fit(self, _X: np.ndarray, y: np.ndarray) -> Any:
        from pgmpy.inference import VariableElimination
        from pgmpy.readwrite import BIFReader

        from benchmarks.problems.network_data import parsed

        self.ours = parsed(str(y[0]))
        self.engine = VariableElimination(BIFReader(string=str(y[0])).get_model())
        return self

    def predict(self, codes: np.ndarray) -> Any:
        found = []
        for row in codes:
            evidence = {v: self.ours.states(v)[s] for v, s in zip(self.ours.nodes, row, strict=True) if s >= 0}
            for name in self.ours.nodes:
                if name not in evidence:
                    answer = self.engine.query([name], evidence=evidence, show_progress=False)
                    found.append([answer.get_value(**{name: state}) for state in self.ours.states(name)])
        return np.concatenate(found)
