"""A margin bound from the spectral norms of the layers, as a reference: true, and in practice above 1.

Bartlett, Foster, Telgarsky (2017), theorem 3.3 with their lemma A.5 at 1 / sqrt(n) and a union over powers of two of
the margin and of the norms. For the margin g, layers A_i with spectral norms at most s_i and |A_i'|_{2,1} at most b_i,
activations with Lipschitz constants r_i, table X with its constant column, widest layer W, with probability 1 - delta

    error <= share(margin <= g) + 8 / n + 48 log(n) |X| sqrt(log(2 W^2)) S / (g n) + 3 sqrt(log(2 K / delta) / (2 n)),

where S = prod_i s_i r_i (sum_i (b_i / s_i)^(2/3))^(3/2) and K = prod k (k + 1) over the numbers k = 1, 2, ... of the
powers of two. Intercepts are weights of a constant unit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse

from certus.guarantees import Certificate
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import AdditiveBound
from certus.neural.engine import NetworkEngine
from certus.neural.learning.training_data import TrainingData

RULE = "neural/spectral-margin"
THEOREM = "Spectrally-normalized margin bounds for neural networks (Bartlett, Foster, Telgarsky 2017)"
# Lipschitz constants of the activations that are 0 at 0, rounded up.
LIPSCHITZ = {
    "identity": 1.0,
    "tanh": 1.0,
    "relu": 1.0,
    "leaky_relu": 1.0,
    "selu": 1.7581,
    "gelu": 1.1290,
    "silu": 1.0999,
}
QUANTILE = 0.05  # of the training margins that is taken for g


def spectral_certificate(engine: NetworkEngine, data: TrainingData, confidence: float = 0.95) -> Certificate | None:
    """The bound at the margin that a twentieth of the rows do not reach; None for other activations or weights."""
    if data.weights is not None or engine.scales or any(name not in LIPSCHITZ for name in engine.activations):
        return None
    scores = engine.forward(data.X).astype(np.float64)
    margins = _margins(scores, data)
    reached = float(np.quantile(margins, QUANTILE))
    if margins.ndim != 1 or not reached > 0.0:
        return None
    norms, sums = [], []
    for place, (coef, intercept) in enumerate(zip(engine.coefs, engine.intercepts, strict=True)):
        layer = np.vstack([coef, intercept]).astype(np.float64)
        sums.append(float(np.linalg.norm(layer, axis=0).sum()))
        constant = np.zeros((len(layer), int(place + 1 < len(engine.coefs))))
        constant[-1:] = 1.0  # hands the constant unit on
        norms.append(float(np.linalg.norm(np.hstack([layer, constant]), 2)))
    values = data.X.data if sparse.issparse(data.X) else data.X
    length = math.sqrt(float((np.asarray(values, dtype=np.float64) ** 2).sum()) + len(margins))
    numbers: dict[str, Any] = {
        "margin_power": math.floor(math.log2(reached)),
        "norm_powers": [math.ceil(math.log2(max(norm * (1 + 1e-9), 1e-300))) for norm in norms],
        "sum_powers": [math.ceil(math.log2(max(total * (1 + 1e-9), 1e-300))) for total in sums],
        "lipschitz": [LIPSCHITZ[name] for name in engine.activations],
        "length": length * (1 + 1e-9),
        "widest": max(engine.sizes) + 1,
        "confidence": confidence,
    }
    below = int(np.count_nonzero(margins <= 2.0 ** numbers["margin_power"]))
    return _bound(below / len(margins), len(margins), numbers).certificate(confidence, 1)


def _margins(scores: Any, data: TrainingData) -> Any:
    """Score of the row's label minus the largest other one; of two classes the signed score."""
    rows = np.arange(len(scores))
    if data.classes is None:
        assert data.values is not None
        return (2.0 * data.values - 1.0)[:, 0] * scores[:, 0] if scores.shape[1] == 1 else np.zeros(len(rows))
    own = scores[rows, data.classes]
    others = scores.copy()
    others[rows, data.classes] = -np.inf
    return own - others.max(axis=1)


def _bound(risk: float, rows: int, numbers: Any) -> AdditiveBound:
    powers = [numbers["margin_power"], *numbers["norm_powers"], *numbers["sum_powers"]]
    places = [2 * abs(power) + (power > 0) + 1 for power in powers]  # 0, 1, -1, 2, -2, ... as 1, 2, 3, ...
    log_uses = math.fsum(math.log(place * (place + 1)) for place in places)
    ratios = [2.0 ** (total - norm) for norm, total in zip(numbers["norm_powers"], numbers["sum_powers"], strict=True)]
    product = 2.0 ** sum(numbers["norm_powers"]) * math.prod(numbers["lipschitz"])
    spread = math.fsum(ratio ** (2.0 / 3.0) for ratio in ratios) ** 1.5
    covering = numbers["length"] * math.sqrt(math.log(2.0 * numbers["widest"] ** 2)) * product * spread
    capacity = 8.0 / rows + 48.0 * math.log(rows) * covering / (2.0 ** numbers["margin_power"] * rows)
    # The union over the powers: sqrt(a + b) <= sqrt(a) + sqrt(b) keeps its part apart from that of the confidence.
    capacity += 3.0 * math.sqrt(log_uses / (2.0 * rows))
    return AdditiveBound(
        risk=risk,
        rows=rows,
        capacity=capacity * (1.0 + 1e-12),
        factor=3.0,
        parts=2,
        theorem=THEOREM,
        rule=RULE,
        assumptions=("floating-point-model",),
        quantity="error by spectral margins",
        basis=f"a reference; share of margins up to {2.0 ** numbers['margin_power']:g}",
        extra=dict(numbers),
    )


@rules.checker(RULE)
def _check(certificate: Certificate, data: Any = None) -> Derivation:
    """The formula in decimals; `data`, if given, are truth values: is the row's margin at most the stated one."""
    witness = certificate.witness
    found = None if isinstance(data, tuple) else data  # rows (X, y) alone do not give margins
    return _bound(witness["risk"], witness["rows"], certificate.inputs).derivation(certificate, found)
