"""Slow readable twins of the compiled rules: one trial after the other, in the words of the formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import solve_triangular

from certus.base import catalogue
from certus.guarantees import Ledger
from certus.guarantees.ledgers import twin
from certus.losses import named_loss
from certus.online._native_calls.stream_kernels import NUMBER, Array
from certus.online.evidence.hindsight import signs_of
from certus.online.learning.linear_state import FEWEST
from certus.online.learning.stream_rows import as_sparse_row, is_dicts, named_entries
from certus.online.learning.stream_weights import trials_of

NAME = "online/linear-stream"
STEEPEST = 1e12  # as the compiled steps
Account = dict[str, float]
Step = Callable[[dict[str, Any], Account, Array, Array, float, float], None]


def _slope(given: dict[str, Any], account: Account, y: float, score: float) -> float:
    loss = named_loss(*given["loss"])
    account["loss"] += given["share"] * float(loss.value([y], [score])[0])
    if given.get("conservative") and y * score > 0.0:
        return 0.0
    steep = given["share"] * float(loss.derivative([y], [score])[0])
    slope = min(max(steep, -STEEPEST), STEEPEST)
    account["cut"] = 1.0 if slope != steep else account["cut"]
    account["linear"] += slope * score
    account["updates"] += slope != 0.0
    return slope


def perceptron(_given: dict[str, Any], account: Account, v: Array, x: Array, y: float, score: float) -> None:
    """On a mistake w += y x, and the average's sum."""
    if y * score <= 0.0:
        account["loss"] += 1.0
        account["updates"] += 1.0
        v[0] += y * x
        v[1] += y * x * (account["trials"] - 1.0)


def passive(given: dict[str, Any], account: Account, v: Array, x: Array, y: float, score: float) -> None:
    """The smallest step that repairs the row, or nearly."""
    loss = named_loss(*given["loss"])
    value, length = float(loss.value([y], [score])[0]), float(x @ x)
    account["loss"] += value
    account["largest"] = max(account["largest"], length)
    if value > 0.0 and length > 0.0:
        cost = given["eta"]
        tau = value / (length + 0.5 / cost) if given["squared"] else min(cost, value / length)
        slope = float(loss.derivative([y], [score])[0])
        account["linear"] += slope * score
        account["moves"] += tau * (2.0 * value - tau * length)
        account["squares"] += value**2
        account["updates"] += 1.0
        v[0] -= math.copysign(tau, slope) * x


def gradient(given: dict[str, Any], account: Account, v: Array, x: Array, y: float, score: float) -> None:
    """A step against the gradient."""
    g = _slope(given, account, y, score) * x
    account["squares"] += float(g @ g)
    v[0] -= given["eta"] * g
    v[1] += g


def adaptive(given: dict[str, Any], account: Account, v: Array, x: Array, y: float, score: float) -> None:
    """w_j -= eta g_j / (s_j sqrt(sum g_j^2)), cut to |w_j| s_j <= radius, with s_j = radius / limit_j."""
    if not given["classifies"] and abs(y) > account["unit"]:
        account["unit"] = 2.0 ** math.ceil(math.log2(abs(y)))
        v[2:] = 0.0
        account.update(linear=0.0, jumps=0.0, falls=0.0, before=account["loss"], since=account["trials"])
    g = _slope(given, account, y, score) * x
    v[2] += g**2
    v[3] += g
    roots = np.maximum(np.sqrt(v[2]), 1e-150)
    unit, limit = account["unit"], v[1]
    v[0] = np.clip(v[0] - given["eta"] / given["radius"] * unit * limit * (g / roots), -unit * limit, unit * limit)


def shrink(given: dict[str, Any], account: Account, v: Array, x: Array) -> None:
    """Limits follow the largest |x_j|, and coefficients their limits, before the score."""
    sizes, before = np.abs(x), v[1].copy()
    grown = sizes * before > given["radius"] * (1.0 + 1e-15)
    v[1, grown] = given["radius"] / sizes[grown]
    for root, old, new in zip(np.sqrt(v[2, grown]), before[grown], v[1, grown], strict=True):
        if root > 0.0:
            share = new / old
            account["jumps"] += root * (old - new * share + 0.25 * share * (1.0 - share) / (1.0 + share) * new)
            account["falls"] += root * (old - new)
    v[0] *= v[1] / before


def entropic(given: dict[str, Any], account: Account, v: Array, x: Array, y: float, score: float) -> None:
    """Weights e^(-a G_j) and e^(a G_j), whose difference over their sum is w_j / radius."""
    slope = _slope(given, account, y, score)
    if slope == 0.0:
        return
    v[1] += slope * x
    steep = abs(slope) * float(np.abs(x).max())
    account["squares"] += steep**2
    rate = given["eta"] * given["radius"]
    if given["eta"] == 0.0 and account["squares"] > 0.0:
        ceiling = 4.0 ** math.ceil(math.log(account["squares"], 4.0) - 1e-15)
        rate = math.sqrt(math.log(2.0 * given["width"]) / ceiling)
    account["moves"] += (account["rate"] or rate) * steep**2
    account["rate"] = rate
    if rate > 0.0:
        shift = max(0.0, float(np.abs(rate * v[1]).max()) - 200.0)
        up, down = np.exp(rate * v[1] - shift), np.exp(-rate * v[1] - shift)
        v[0] = (down - up) / 2.0
        later = v.shape[1] - given["width"]  # columns of names that are still to come
        account["weight"] = float((down + up).sum() / 2.0) - later * math.exp(-shift)


def winnow(given: dict[str, Any], account: Account, v: Array, x: Array, y: float, score: float) -> None:
    """Weights of the row times the factor, or divided by it, on a mistake; with the proof's steps asserted."""
    if y * score > 0.0:
        return
    before = float(v[0].sum())
    v[0] *= given["factor"] ** (y * x)
    change = float(v[0].sum()) - before
    account["weight"] += change
    account["loss"] += 1.0
    account["updates"] += 1.0
    account["promoted" if y > 0.0 else "demoted"] += 1.0
    if given["factor"] == 2.0 and np.isin(x, (0.0, 1.0)).all():
        if y > 0.0:
            assert change <= given["threshold"], "a promotion adds at most the threshold"
        else:
            assert change <= -given["threshold"] / 2.0, "a demotion takes at least half the threshold"


def balanced(given: dict[str, Any], account: Account, v: Array, x: Array, y: float, score: float) -> None:
    """Two weights per column, e^G and e^-G, times or divided by factor^x on a mistake."""
    if y * score <= 0.0:
        account["loss"] += 1.0
        account["updates"] += 1.0
        v[1] = np.clip(v[1] + y * math.log(given["factor"]) * x, -200.0, 200.0)
        v[0] = 2.0 * np.sinh(v[1])


def alma(given: dict[str, Any], account: Account, v: Array, x: Array, y: float, score: float) -> None:
    """A step of length sqrt(2 / k) where the margin of the row is small; never beyond length 1."""
    account["loss"] += y * score <= 0.0
    length, root = float(np.linalg.norm(x)), math.sqrt(account["updates"] + 1.0)
    if length > 0.0 and y * score / length <= (1.0 - given["threshold"]) * given["factor"] / root:
        v[0] += math.sqrt(2.0) / root * y * x / length
        v[0] /= max(1.0, float(np.linalg.norm(v[0])))
        account["updates"] += 1.0


def romma(given: dict[str, Any], account: Account, v: Array, x: Array, y: float, score: float) -> None:
    """The shortest w with y x'w = 1 on the border of the half-space of its predecessor."""
    account["loss"] += y * score <= 0.0
    length, norm = float(x @ x), float(v[0] @ v[0])
    if length > 0.0 and (y * score <= 0.0 or (given["squared"] and y * score < 1.0)):
        area = length * norm - score**2
        if area <= 1e-12 * length * norm or length * norm <= y * score:
            v[0] = y * x / length
        else:
            v[0] = (length * norm - y * score) / area * v[0] + norm * (y - score) / area * x
        account["updates"] += 1.0


def mirror(given: dict[str, Any], account: Account, v: Array, x: Array, y: float, score: float) -> None:
    """The gradient is taken from phi'(w), and the divergence D(w_t, w_(t+1)) is counted."""
    v[1] += _slope(given, account, y, score) * x
    scale, dual = given["factor"], np.clip(-given["eta"] * v[1], -200.0, 200.0)
    touched = x != 0.0
    before, after = v[0, touched], scale * (np.sinh(dual) if given["squared"] else np.exp(dual))[touched]

    def phi(w: Array) -> Array:
        if given["squared"]:
            return w * np.arcsinh(w / scale) - np.hypot(w, scale)
        return w * np.log(w / scale) - w

    account["moves"] += float(np.sum(phi(before) - phi(after) - dual[touched] * (before - after)))
    v[0, touched] = after


def newton(given: dict[str, Any], account: Account, v: Array, x: Array, y: float, score: float) -> None:
    """W -= A^-1 g / gamma, solved anew with the whole matrix."""
    g = _slope(given, account, y, score) * x
    A = given.setdefault("A", given["penalty"] * np.eye(len(x)))
    A += np.outer(g, g)
    step = np.linalg.solve(A, g)
    account["squares"] += float(g @ g)
    account["moves"] += float(g @ step)
    v[2] += g
    v[0] -= step / given["factor"]


STEPS: dict[str, Step] = {
    "newton": newton,
    "alma": alma,
    "romma": romma,
    "mirror": mirror,
    "perceptron": perceptron,
    "passive": passive,
    "gradient": gradient,
    "adaptive": adaptive,
    "entropic": entropic,
    "winnow": winnow,
    "balanced": balanced,
}


def _score(rule: str, given: dict[str, Any], account: Account, v: Array, x: Array) -> float:
    if rule == "adaptive":
        shrink(given, account, v, x)
    if rule == "entropic":
        return given["radius"] * float(v[0] @ x) / account["weight"] if account["weight"] > 0.0 else 0.0
    if rule == "winnow":
        return max(float(v[0] @ x) - given["threshold"], 1e-300) if v[0] @ x >= given["threshold"] else -1.0
    return float(v[0] @ x)


def _forward(learner: Any, rows: Array, targets: Array) -> None:
    """Every prediction from the whole matrix, solved anew."""
    state = learner.state_
    root, b = np.eye(rows.shape[1]) * math.sqrt(learner.penalty), np.zeros(rows.shape[1])
    account = state.numbers[0]
    for x, y in zip(rows, targets, strict=True):
        root = np.asarray(
            np.linalg.qr(np.vstack([root, x]), mode="r")
        )  # the matrix itself has no digits left far from 0
        score = float(solve_triangular(root, x, trans="T") @ solve_triangular(root, b, trans="T"))
        b += y * x
        account[NUMBER["loss"]] += (y - score) ** 2
    account[NUMBER["trials"]] = len(targets)
    account[NUMBER["targets"]] = float(targets @ targets)
    account[NUMBER["target"]] = float(np.abs(targets).max(initial=0.0))
    state.matrix, state.vectors[2] = root * np.sign(np.diag(root))[:, None], b


@twin(NAME)
def replay(settings: Mapping[str, Any], data: Any) -> Ledger:
    """The account of a learner with two labels, or of numbers, over all its trials."""
    X, y, shares = _trials(*data)
    given = dict(settings["parameters"])
    kind: Any = catalogue.find(f"certus.online.{settings['class']}")
    learner = kind(**given)
    if settings.get("classes") is not None:
        learner.told_classes_ = np.asarray(settings["classes"])
    rows = _dense(learner, X)
    targets = _prepare(learner, rows, y)
    if learner.state_.rule == "forward":
        _forward(learner, rows, targets[:, 0])
    else:
        growing = is_dicts(X) and not learner.hash_bits
        widths = [room + 1 for room in _rooms(X)] if growing else [rows.shape[1]] * len(rows)
        several = learner._classifies and len(learner.classes_) > 2
        first = learner._first_trials(np.asarray(y)) if several else [0]
        columns = enumerate(zip(first, targets.T, strict=True))
        stream = _Stream(rows, shares, widths)
        played = [_replay_problem(learner, place, stream, signs, since) for place, (since, signs) in columns]
        if learner._classifies:
            wrong = _mistaken(learner, y, np.column_stack(played), first)
            learner.state_.number("mistakes")[0] = float(wrong.sum())
    audited = settings.get("audited")
    if audited is not None:
        learner.audited_ = dict(audited)
    return learner.ledger_


def _trials(X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Any, Array]:
    """Rows, targets and shares, trial by trial."""
    if sample_weight is None:
        return X, y, np.ones(len(y))
    index, shares = trials_of(np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), len(y)))
    repeated = [X[row] for row in index] if is_dicts(X) else (X if sparse.issparse(X) else np.asarray(X))[index]
    return repeated, np.asarray(y)[index], shares


def _dense(learner: Any, X: Any) -> Array:
    """The rows with the constant."""
    if is_dicts(X) and learner.hash_bits:
        columns = 2**learner.hash_bits
        found = [as_sparse_row(named_entries(x), {}, learner.hash_bits, columns).toarray() for x in X]
        table = np.vstack([row.reshape(1, -1) for row in found])
    elif is_dicts(X):
        entries = [named_entries(x) for x in X]
        names = {name: place for place, name in enumerate(dict.fromkeys(name for x in entries for name in x))}
        table = np.zeros((len(X), _rooms(X)[-1]))
        for row, x in enumerate(entries):
            for name, value in x.items():
                table[row, names[name]] = value
    else:
        table = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    return np.column_stack([table, np.full(len(table), float(learner.fit_intercept))])


def _rooms(X: Any) -> list[int]:
    """For how many columns there is room in every trial of dicts: twice as many whenever names need more."""
    met: set[str] = set()
    room, found = FEWEST, []
    for x in X:
        met.update(named_entries(x))
        while room < len(met):
            room *= 2
        found.append(room)
    return found


def _prepare(learner: Any, rows: Array, y: Any) -> Array:
    learner.n_features_in_ = rows.shape[1] - 1
    if learner._classifies:
        told = vars(learner).get("told_classes_", np.asarray(y)[:0])
        learner._set_classes(np.unique(np.append(told, y) if learner.classes is None else learner.classes))
    learner._start(rows.shape[1] - 1)
    return signs_of(learner, y)


def _mistaken(learner: Any, y: Any, scores: Array, first: list[int]) -> NDArray[np.bool_]:
    """A tie is a mistake, and so is a label that never came before."""
    labels = np.asarray(y)
    if scores.shape[1] == 1:
        wrong = signs_of(learner, labels)[:, 0] * scores[:, 0] <= 0.0
    else:
        scores = np.where(np.arange(len(labels))[:, None] >= np.array(first), scores, -np.inf)
        own = labels[:, None] == learner.classes_
        wrong = np.where(own, -np.inf, scores).max(axis=1) >= scores[own]
    known = learner._known_before()
    values, trials = np.unique(labels, return_index=True)
    wrong[[trial for value, trial in zip(values.tolist(), trials.tolist(), strict=True) if value not in known]] = True
    return wrong


@dataclass(frozen=True)
class _Stream:
    """The trials with the constant, how much of each counts, and for how many columns there was room."""

    rows: Array
    shares: Array
    widths: list[int]


def _replay_problem(learner: Any, place: int, stream: _Stream, targets: Array, since: int) -> Array:
    """One problem from its first trial on; returns its scores, 0 before."""
    rule, state = learner.state_.rule, learner.state_
    vectors = state.vectors[place * state.fields : (place + 1) * state.fields]
    if rule == "adaptive" and since:
        largest = np.abs(stream.rows[:since]).max(axis=0)
        vectors[1] = np.where(largest > 0.0, learner._radius() / np.where(largest > 0.0, largest, 1.0), vectors[1])
    given = {"classifies": learner._classifies, "factor": 2.0, "threshold": 0.0, "radius": 1.0, **learner._settings()}
    given["penalty"] = learner._penalty()
    account = dict.fromkeys(NUMBER, 0.0) | {"unit": float(state.number("unit")[place]), "since": 1.0}
    account["weight"], account["trials"] = float(state.number("weight")[place]), float(since)
    scores = np.zeros(len(targets))
    for trial in range(since, len(targets)):
        x, y = stream.rows[trial], float(targets[trial])
        given["width"], given["share"] = stream.widths[trial], float(stream.shares[trial])
        scores[trial] = _score(rule, given, account, vectors, x)
        account["trials"] += 1.0
        STEPS[rule](given, account, vectors, x, y, float(scores[trial]))
    state.numbers[place] = [account[name] for name in NUMBER]
    return scores
