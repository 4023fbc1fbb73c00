"""Certificates without a model, each with the data of its rule; part of `write.py`, run with version 0.1.0."""

from __future__ import annotations

from typing import Any

import numpy as np
from tables import Table

import certus
from certus import guarantees as g
from certus import svm

Found = list[tuple[g.Certificate, Any]]

RNG = np.random.default_rng(10)
LOSSES = RNG.beta(1, 9, 40).round(3)
WRONG = RNG.random((3, 60)) < np.array([0.1, 0.2, 0.6])[:, None]
POSITIVE = RNG.random(90) < 0.5
SCORES = (RNG.normal(size=90) + 2.5 * POSITIVE).round(2)
COSINES = RNG.uniform(-0.2, 1.0, 40).round(3)


def bounds(tables: dict[str, Table]) -> Found:
    """All certificates that can be written without training a saved model, each with its data or None."""
    return [*held_out(), *combined(), *conformal(), *streams(), *votes(), *classes(), *training(), *machines(tables)]


def held_out() -> Found:
    """Bounds from rows that a model has not seen."""
    flags = np.arange(60) < 4
    methods = ("hoeffding", "kl", "bernstein", "empirical-bernstein", "hoeffding-bentkus", "betting", "star")
    means = [
        g.mean_bound(LOSSES, method=method, side="both", variance=0.02 if method == "bernstein" else None)
        for method in methods
    ]
    ups, downs = SCORES[POSITIVE], SCORES[~POSITIVE]
    labels = np.arange(60) % 3
    likely = (np.eye(3)[labels] + RNG.normal(0, 0.5, (60, 3))).round(2)
    compared = certus.compare(WRONG[0], WRONG[2], y=np.zeros(60, dtype=bool))
    chosen = certus.select({"a": WRONG[0], "b": WRONG[1], "c": WRONG[2]}, y=np.zeros(60, dtype=bool))
    return [
        (g.error_bound(4, 60), flags),
        (g.error_bound(4, 60, side="lower", uses=3), flags),
        (g.error_bound(4, 60, side="both", method="kl", confidence=0.9), flags),
        (g.error_bound(4, 60, method="hoeffding"), flags),
        *((mean, LOSSES) for mean in means),
        (g.mean_bound(3.0 * LOSSES, high=3.0, uses=2, quantity="mean cost"), 3.0 * LOSSES),
        (g.f_bound(40, 5, 4), None),
        (g.f_bound(40, 5, 4, beta=2.0, uses=3), None),
        (g.balanced_accuracy_bound([25, 20], [30, 25]), None),
        (g.macro_f_bound([25, 20, 0], [3, 5, 0], [5, 3, 1]), None),
        (g.auc_bound(ups, downs), (ups, downs)),
        (g.pairwise_auc_bound(labels, likely), (labels, likely)),
        *((item, (WRONG[0], WRONG[2]) if item.rule == "mcnemar" else None) for item in compared.report),
        *((item, WRONG if item.rule == "shortlist" else None) for item in chosen.report),
        *((item, None) for item in certus.certify(y_true=labels, y_pred=(labels + (np.arange(60) < 5)) % 3)),
    ]


def combined() -> Found:
    """What is made of other certificates."""
    error = g.error_bound(4, 60)
    return [
        (g.complement(g.f_bound(40, 5, 4)), None),
        (g.complement(g.auc_bound(SCORES[POSITIVE], SCORES[~POSITIVE])), (SCORES[POSITIVE], SCORES[~POSITIVE])),
        (g.as_estimate(error, "trained on more rows"), np.arange(60) < 4),
        (g.union([error, g.strong_convexity_gap(0.1, 1.0, 1.0)]), None),
        (g.intersection([error, g.error_bound(4, 60, side="lower")]), np.arange(60) < 4),
        (g.strong_convexity_gap(1e-4, 0.5, 12.0, gradient_error=1e-9, terms=100), [6e-5, 8e-5]),
    ]


def conformal() -> Found:
    """Sets, intervals and thresholds."""
    found: Found = [(item, SCORES) for item in g.calibrate(SCORES).certificates]
    found += [(item, SCORES) for item in g.calibrate(SCORES, assurance=0.9, subject="interval").certificates]
    groups = np.where(POSITIVE, "up", "down")
    found += [(item, (SCORES, groups)) for item in g.calibrate_groups(SCORES, groups).report]
    found += [(g.cross_certificate([12, 12, 11], method=method), np.zeros(35)) for method in ("plus", "minmax")]
    both = (SCORES, POSITIVE)
    found += [(item, both) for item in g.control_rates(*both, {"recall": 0.7, "false_alarm": 0.4}).report]
    found += [(item, both) for item in g.control_rates(*both, {"precision": 0.6}).report]
    searched = g.control_rates(*both, {"recall": 0.8}, thresholds=[0.0, 0.5, 1.0], procedure="holm")
    return [*found, *((item, both) for item in searched.report)]


def streams() -> Found:
    """Sequences, adaptive sets, alarms."""
    rate = certus.monitor(errors=1, rows=100).update(losses=WRONG[2])
    betting = certus.monitor(losses=LOSSES, loss="given", loss_range=(0, 1)).update(losses=WRONG[2])
    alarms = [(one.alarm, WRONG[2][: one.alarm_row].astype(float)) for one in (rate, betting)]
    return [
        (g.ConfidenceSequence(prior=(1, 19)).update(WRONG[0]).certificate(), WRONG[0].astype(float)),
        (g.ConfidenceSequence(side="upper").update(WRONG[0]).certificate(), WRONG[0].astype(float)),
        (g.ConfidenceSequence("gamma-exponential").update(LOSSES).certificate(), LOSSES),
        (g.AdaptiveConformal(step=0.2).update(LOSSES).certificate(), LOSSES),
        *alarms,
    ]


def votes() -> Found:
    """Weighted votes, from rows outside the bags and from given risks."""
    masks = RNG.random((4, 50)) < 0.5  # which rows are outside the bag of each voter
    truth = np.arange(50) % 2
    said = np.where(RNG.random((4, 50)) < 0.15, 1 - truth, truth)
    counted = g.oob_vote_bounds(masks, said, truth)
    return [
        *((item, (masks, said, truth)) for item in counted.values()),
        (g.first_order_bound(0.1, 400, kl=0.5), None),
        (g.tandem_bound(0.04, 400, kl=0.5), None),
        (g.cantelli_bound(0.1, 400, 0.03, 300), None),
        (g.c_bound(0.1, 0.12, 400), None),
        (g.voting_margin_bound(COSINES, 0.3, 2, 0.5), COSINES),
        (g.pac_bayes_margin(COSINES), COSINES),
        (g.pac_bayes_kl(0.1, 2.0, 40, side="both"), np.full(40, 0.1)),
    ]


def classes() -> Found:
    """Classes of hypotheses."""
    table = np.where(RNG.random((3, 8)) < 0.5, -1.0, 1.0)
    errs = np.arange(60) < 3
    trained, true = [0.1, 0.3], [0.11, 0.28]
    return [
        (g.finite_class_bound(3, 60, 16), errs),
        (g.uniform_convergence(2, 1000), (trained, true)),
        (g.excess_bound(2, 1000), (trained, true)),
        (g.vc_bound(0.05, 60, 1), errs),
        (g.vc_bound(0.05, 3000, g.hypothesis_classes.stumps(4)), None),
        (g.vc_bound(0.05, 3000, g.hypothesis_classes.trees(4, 3)), None),
        (g.rademacher(table), table),
        (g.rademacher(table, draws=50, seed=1), table),
        (g.rademacher_bound(0.05, 0.1, 60), errs),
        (g.kernel_margin_bound(COSINES, 0.3, 1.0, np.ones(40)), COSINES),
        (g.stability_bound(0.1, 1e-4, 40), np.full(40, 0.1)),
        (g.stability_bound(0.1, 1e-4, 40, leave_one_out=True), np.full(40, 0.1)),
    ]


def training() -> Found:
    """Few rows that determine a model."""
    return [
        (g.compression_bound(5, 2, 60), np.arange(55) < 2),
        (g.compression_bound(5, 0, 60, log_messages=2.0), np.zeros(55)),
        (g.campi_garatti(5, 60), np.arange(60) < 5),
        (g.support_leave_one_out(5, 60), np.arange(60) < 5),
        (g.xi_alpha([0.5, 0.0, 1.0, 0.2], [0.1, 0.0, 1.2, 0.0], 1.0), None),
        (g.jaakkola_haussler([0.5, 0.0, 1.0, 0.2], [1.0] * 4, [0.8, 1.4, -0.2, 1.0]), None),
    ]


def machines(tables: dict[str, Table]) -> Found:
    """What functions of `certus.svm` promise besides the learners."""
    rows, numbers = tables["binary"], tables["numbers"]
    path = svm.svm_path(rows["X"][:12], rows["y"][:12], kernel="rbf", gamma=0.5, C_max=10.0)
    machine = svm.SVC(gamma=0.5).fit(rows["X"], rows["y"])
    left = svm.leave_one_out(machine, rows["X"], rows["y"])
    tube = svm.SVR(gamma=0.5).fit(numbers["X"], numbers["y"])
    off = svm.leave_one_out(tube, numbers["X"], numbers["y"])
    return [
        *((item, (rows["X"][:12], rows["y"][:12])) for item in path.report),
        *((item, left.predictions != rows["y"]) for item in left.report),
        *((item, np.abs(off.predictions - numbers["y"])) for item in off.report),
    ]
