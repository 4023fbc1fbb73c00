"""Ctrl-C on millions of rows: the passes over rows look at the stop token too, not only the loop over columns."""

import json
import statistics
import subprocess
import sys

import pytest

SCRIPT = """
import json, os, signal, sys, threading, time
import numpy as np
from certus.trees import DecisionTreeClassifier
parameters, order = json.loads(sys.argv[1]), sys.argv[2]
rng = np.random.default_rng(0)
X = rng.normal(size=(2_000_000, 8)).astype(np.float32, order=order)
y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
waited = []
for press_after in (0.05, 0.2, 0.4, 0.7, 1.1):
    def press():
        global pressed
        pressed = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)
    model = DecisionTreeClassifier(**parameters)
    threading.Timer(press_after, press).start()
    try:
        while True:
            model.fit(X, y)
    except KeyboardInterrupt:
        waited.append(time.perf_counter() - pressed)
    assert not hasattr(model, "tree_")
print(json.dumps(waited))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parameters", "order"),
    [({}, "C"), ({"max_features": 1}, "F"), ({"max_features": 1, "splitter": "random"}, "C")],
    ids=["listed", "gathered", "random"],
)
def test_interrupt_on_millions_of_rows(parameters, order):
    # The median of several presses and the best of three runs, since another process may hold the processors.
    waited = []
    while len(waited) < 3 and min(waited, default=1.0) >= 0.1:
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT, json.dumps(parameters), order],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        waited.append(statistics.median(json.loads(run.stdout)))
    assert min(waited) < 0.1
