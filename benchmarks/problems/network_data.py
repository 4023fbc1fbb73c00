"""Bayesian networks as texts of BIF files, and evidence on them.

Classic networks come with pgmpy, in packed files; "random" needs nobody.
"""

import gzip
import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure.task import Data, Quality

_SEED = 0


def text_of(network: str) -> str:
    """The BIF text of a classic network, or of a random one of 40 nodes."""
    if network == "random":
        return _written(_random(40))
    found = importlib.util.find_spec("pgmpy")
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"the network {network!r} comes with pgmpy, which is not installed")
    folder = Path(found.origin).parent / "utils" / "example_models"
    return gzip.decompress((folder / f"{network}.bif.gz").read_bytes()).decode()


def _random(nodes: int) -> Any:
    from certus.graphical import BayesianNetwork

    rng = np.random.default_rng(_SEED)
    names = [f"v{place}" for place in range(nodes)]
    parents = {
        name: [names[k] for k in rng.choice(place, min(place, int(rng.integers(0, 4))), replace=False)] if place else []
        for place, name in enumerate(names)
    }
    states = {name: [f"s{k}" for k in range(int(rng.integers(2, 4)))] for name in names}
    tables = {
        name: rng.dirichlet(np.ones(len(states[name])), [len(states[parent]) for parent in parents[name]])
        for name in names
    }
    return BayesianNetwork(parents, states, tables)


def _written(network: Any) -> str:
    from certus.graphical import write_network

    with tempfile.TemporaryDirectory() as folder:
        write_network(network, Path(folder) / "a.bif")
        return (Path(folder) / "a.bif").read_text()


def parsed(text: str) -> Any:
    """The network of a text."""
    from certus.graphical import read_network

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.bif"
        path.write_text(text)
        return read_network(path)


def evidence_on_leaves(network: str, sets: int = 1) -> Data:
    """States of three leaves from drawn rows; -1 for nodes that are not observed."""
    text = text_of(network)
    read = parsed(text)
    leaves = [place for place, name in enumerate(read.nodes) if not read.children(name)][:3]
    codes = _codes(read, sets)
    hidden = np.full_like(codes, -1)
    hidden[:, leaves] = codes[:, leaves]
    return _data(text, hidden)


def whole_rows(network: str, rows: int) -> Data:
    """Complete drawn rows, but for the last node, which is asked for."""
    text = text_of(network)
    codes = _codes(parsed(text), rows)
    codes[:, -1] = -1
    return _data(text, codes)


def no_rows(network: str, rows: int) -> Data:
    """Nothing is known; so many rows are to be drawn."""
    text = text_of(network)
    return _data(text, np.full((rows, len(parsed(text).nodes)), -1, dtype=np.int32))


def _codes(network: Any, rows: int) -> np.ndarray:
    table = network.sample(rows, random_state=_SEED)
    return np.column_stack([[network.states(v).index(label) for label in table[v]] for v in network.nodes])


def _data(text: str, codes: np.ndarray) -> Data:
    return {"X": codes, "y": np.array([text]), "X_test": codes, "y_test": codes}


def _largest_error(model: Any, prediction: Any, data: Data) -> float:
    from benchmarks.peers.network_models import CertusNetwork

    ours = CertusNetwork(model.ask).fit(data["X"], data["y"])
    return float(np.abs(np.asarray(prediction) - ours.predict(data["X_test"])).max())


def _share_error(_model: Any, prediction: Any, data: Data) -> float:
    network = parsed(str(data["y"][0]))
    exact = network.marginals()
    return float(max(np.abs(prediction[name] - values).max() for name, values in exact.items()))


SAME_ANSWERS = Quality("largest difference of a probability from ours", _largest_error, wanted=1e-4)
RIGHT_SHARES = Quality("largest difference of a share from its probability", _share_error, wanted=0.05)
