"""Learners of networks are measured at equal quality."""

import importlib.util
import math

import pytest
from numpy.testing import assert_allclose

from benchmarks.measure.task import OURS, load_tasks

TASKS = load_tasks("network_learning")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TASKS)
def test_ours_is_as_good_as_every_peer(name):
    task = TASKS[name]
    data = task.make_data(**task.quick_size)
    there = [peer for peer in task.competitors if importlib.util.find_spec(peer.parameters["path"])]
    fitted = {peer.name: peer.build(0, 1).fit(data["X"], data["y"]) for peer in there}
    values = {name: task.quality.measure(model, None, data) for name, model in fitted.items()}
    assert math.isfinite(values[OURS])
    assert values[OURS] >= max(values.values()) - 1e-6
    if name != "hill-climb":
        assert_allclose(list(values.values()), values[OURS], rtol=1e-6)
