"""The slow readable twin of the forecasters: one trial after the other, in plain NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from certus.guarantees import Ledger
from certus.guarantees.ledgers import twin
from certus.online.experts.mixture_account import MixtureAccount, MixtureSetting, ledger_of

Floats = NDArray[np.float64]


def losses_of(loss: str, y: float, x: Any) -> Any:
    """The losses of predictions x of numbers in [0, 1]."""
    if loss == "log":
        return rel_entr(y, x) + rel_entr(1.0 - y, 1.0 - np.asarray(x))
    return (y - x) ** 2 if loss == "square" else np.abs(y - x)


def predict_readably(setting: MixtureSetting, v: Floats, x: Floats) -> float:
    """The average of the advice, or the middle of what both extreme labels allow."""
    if setting.prediction == "average" or setting.loss == "log":
        return float(v @ x)
    c = setting.factor if np.isfinite(setting.factor) else 1.0 / setting.eta
    allowed = [-c * np.log(v @ np.exp(-setting.eta * losses_of(setting.loss, y, x))) for y in (0.0, 1.0)]
    above, below = np.maximum(allowed, 0.0) ** (0.5 if setting.loss == "square" else 1.0)
    return float(np.clip((above + 1.0 - below) / 2.0, 0.0, 1.0))


def share_readably(setting: MixtureSetting, v: Floats, lost: Floats, past: list[Floats]) -> Floats:
    """The weights of the next trial, from those after the losses."""
    n, alpha = len(v), setting.alpha
    if setting.share == "none" or n == 1:
        return v
    if setting.share == "fixed":
        return (1.0 - alpha) * v + alpha * (1.0 - v) / (n - 1)
    if setting.share == "variable":
        given = (1.0 - (1.0 - alpha) ** lost) * v
        return v - given + (given.sum() - given) / (n - 1)
    if setting.share == "past":
        return (1.0 - alpha) * v + alpha * np.mean(past[:-1], axis=0)
    return project_above(v, alpha / n)


def project_above(v: Floats, floor: float) -> Floats:
    """The nearest weights by relative entropy that are at least `floor`: who is low is raised, in ascending order."""
    order = np.sort(v)
    for raised in range(len(v)):
        scale = (1.0 - floor * raised) / order[raised:].sum()
        if order[raised] * scale >= floor:
            return np.maximum(v * scale, floor)
    return np.full(len(v), floor)


@twin("online/expert-mixture")
def replay(settings: Mapping[str, Any], data: Any) -> Ledger:
    """The account of a forecaster over (advice, labels)."""
    setting = MixtureSetting(**settings)
    advice, labels = (np.asarray(part, dtype=np.float64) for part in data)
    outside = ((advice < setting.low) | (advice > setting.high)).any(axis=1)
    outside |= (labels < setting.low) | (labels > setting.high)
    void = int(np.argmax(outside)) + 1 if outside.any() else 0
    x, y = ((part - setting.low) / (setting.high - setting.low) for part in (advice, labels))
    account = _replay(setting, x, y)
    return ledger_of(
        "online/expert-mixture", setting, MixtureAccount(**account, void_trial=void, void_reason="outside")
    )


def _replay(setting: MixtureSetting, advice: Floats, labels: Floats) -> dict[str, Any]:
    n = advice.shape[1]
    v = setting.first_weights(n)
    past, paid, mean_losses = [v], 0.0, 0.0
    total, lead, best = np.zeros(n), np.zeros(n), np.zeros((setting.switches + 1, n))
    for x, y in zip(advice, labels, strict=True):
        awake = ~np.isnan(x)
        mass = v[awake].sum()
        prediction = predict_readably(setting, v[awake] / mass, x[awake])
        loss, lost = losses_of(setting.loss, y, prediction), np.zeros(n)
        lost[awake] = losses_of(setting.loss, y, x[awake])
        paid, total, mean_losses = paid + loss, total + lost, mean_losses + lost.mean()
        lead[awake] += loss - lost[awake]
        best = np.array([np.minimum(row, best[max(k - 1, 0)].min() if k else row) for k, row in enumerate(best)]) + lost
        after = np.where(awake, v * np.exp(-setting.eta * lost), v)
        after[awake] *= mass / after[awake].sum()
        past.append(after)
        v = np.maximum(share_readably(setting, after, lost, past), 1e-300)
    kept = best.min(axis=1) if setting.share != "none" else np.zeros(0)
    return {
        "trials": len(labels),
        "paid": float(paid),
        "losses": total,
        "best": kept,
        "mean_losses": float(mean_losses),
        "lead": lead,
    }
