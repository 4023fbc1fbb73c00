"""Hidden Markov models are measured from the same start, at equal quality."""

import importlib.util
import math

import pytest
from numpy.testing import assert_allclose

from benchmarks.measure.task import OURS, load_tasks

TASKS = {name: task for name, task in load_tasks("hmm").items() if task.action == "fit"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TASKS)
def test_ten_rounds_from_one_start_end_at_the_same_likelihood(name):
    task = TASKS[name]
    data = task.make_data(**{**task.quick_size, "n": 300})
    there = [peer for peer in task.competitors if importlib.util.find_spec(peer.parameters["path"].split(".")[0])]
    fitted = {peer.name: peer.build(0, 1).fit(data["X"], data["y"]) for peer in there}
    values = {name: task.quality.measure(model, None, data) for name, model in fitted.items()}
    assert math.isfinite(values[OURS])
    assert_allclose(list(values.values()), values[OURS], atol=1e-8)
