"""Planners of decision processes behind one face.

The matrix of all pairs is built once per process; making a library's process of it counts.
"""

from typing import Any

import numpy as np

from benchmarks.problems.decision_processes import transitions

_built: dict[int, Any] = {}


class Planner:
    """Values of a process by one library and method."""

    def __init__(self, library: str, method: str, actions: int, discount: float, tol: float = 1e-8) -> None:
        self.library, self.method, self.actions, self.discount, self.tol = library, method, actions, discount, tol

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        if id(X) not in _built:
            _built[id(X)] = transitions(X, self.actions)
        self.values_ = getattr(self, f"_{self.library}")(_built[id(X)], y)
        return self

    def _certus(self, rows: Any, rewards: np.ndarray) -> np.ndarray:
        from certus.reinforce import MDP, solve

        states, actions = np.divmod(np.arange(len(rewards)), self.actions)
        mdp = MDP.from_pairs(rows, rewards, self.discount, states, actions)
        return solve(mdp, self.method, tol=self.tol).values

    def _quantecon(self, rows: Any, rewards: np.ndarray) -> np.ndarray:
        from quantecon.markov import DiscreteDP
        from scipy import sparse

        states, actions = np.divmod(np.arange(len(rewards)), self.actions)
        process = DiscreteDP(rewards, sparse.csr_matrix(rows), self.discount, states, actions)
        return process.solve(method=self.method, epsilon=self.tol, max_iter=10_000).v

    def _mdptoolbox(self, rows: Any, rewards: np.ndarray) -> np.ndarray:
        import mdptoolbox.mdp
        from scipy import sparse

        matrices = [sparse.csr_matrix(rows[action :: self.actions]) for action in range(self.actions)]
        solver = getattr(mdptoolbox.mdp, self.method)
        more = {} if self.method == "PolicyIteration" else {"epsilon": self.tol}
        model = solver(matrices, rewards.reshape(-1, self.actions), self.discount, **more)
        model.run()
        return np.asarray(model.V)
