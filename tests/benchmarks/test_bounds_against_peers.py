"""Bounds and tests against their peers: who is installed here gives the same answers, and the results say the same."""

import importlib.util
import json
import math

import pytest
from numpy.testing import assert_allclose

from benchmarks.measure.task import FOLDER, OURS, load_tasks

TASKS = load_tasks("guarantees")
RECORDED = json.loads((FOLDER / "results" / "guarantees.json").read_text(encoding="utf-8"))["tasks"]


@pytest.mark.parametrize("name", TASKS)
def test_we_are_as_good_as_the_peers_that_are_installed(name):
    task = TASKS[name]
    data = task.make_data(**task.quick_size)
    installed = [peer for peer in task.competitors if importlib.util.find_spec(peer.package)]
    fitted = {peer.name: peer.build(0, 2).fit(**data) for peer in installed}
    values = {peer: task.quality.measure(model, None, data) for peer, model in fitted.items()}
    assert math.isfinite(values[OURS])
    assert task.quality.suffices(values[OURS], task.quality.best(list(values.values())))
    if name in ("clopper-pearson", "mcnemar"):
        assert_allclose(fitted["scipy"].values, fitted[OURS].values, rtol=1e-7)


@pytest.mark.parametrize("name", TASKS)
def test_results_have_our_answer_and_a_measured_peer_and_ours_is_no_worse(name):
    task, rows = TASKS[name], RECORDED[name]["rows"]
    ours, *others = rows
    assert ours["competitor"] == OURS
    measured = [row for row in others if "skipped" not in row and row["competitor"].split("-")[0] != OURS]
    assert measured
    # Without a value: the bounds of the peer failed more often than they say.
    best = task.quality.best([row["quality"] for row in rows if row.get("quality") is not None])
    assert task.quality.suffices(ours["quality"], best)
