"""Fits and predicts in a loop until Ctrl-C, for one learner after the other; a JSON line tells how each ended.

Called with a JSON list of [path of the class, "fit" or "predict"].
"""

import json
import os
import signal
import sys
import threading
import time
import traceback
import warnings

import numpy as np
from sklearn.utils import get_tags

from certus.base import catalogue

rng = np.random.default_rng(0)
X = rng.normal(size=(300_000, 30))
y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int) + 1  # positive, so that it suits every learner


# Learners whose defaults do not suit this table.
ONE = ("CCA", "PLSCanonical", "PLSSVD", "GaussianRandomProjection", "SparseRandomProjection")
ASKED = {name: {"n_components": 1} for name in ONE} | {"MDS": {"max_iter": 2}}
# Learners that keep a matrix of all pairs of rows get fewer rows, and still work for seconds.
costs = {entry.path: entry.cost for entry in catalogue.entries()}


def outcome(path, stage):
    model = catalogue.find(path)(**ASKED.get(path.rpartition(".")[2], {}))
    rows = 6_000 if any(term in costs[path] for term in ("n^3", "O(n^2) memory")) and stage == "fit" else len(X)
    target = y if get_tags(model).target_tags.single_output else np.column_stack([y, y[::-1]])
    table = np.minimum(np.floor(np.abs(X)), 2.0) if get_tags(model).input_tags.positive_only else X
    if stage == "predict":
        model.fit(table[:2_000], target[:2_000])
    ask = next(
        getattr(model, name) for name in ("predict", "transform", "kneighbors", "score_samples") if hasattr(model, name)
    )
    pressed = []

    def press():
        pressed.extend((time.perf_counter(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)

    # After a tenth of a second the work is where it is after two: 39 of 122 cases were then found in another function,
    # and as many in two runs of the longer wait.
    timer = threading.Timer(0.1, press)
    timer.start()
    try:
        while True:
            model.fit(table[:rows], target[:rows]) if stage == "fit" else ask(table)
    except KeyboardInterrupt:
        # A busy machine lets a process wait for its turn: then its own seconds of work tell more than the clock.
        waited = min(time.perf_counter() - pressed[0], time.process_time() - pressed[1])
    finally:
        timer.cancel()  # after an error the signal would end the next case
    fitted = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
    return {"waited": waited, "fitted": fitted}


warnings.simplefilter("ignore")
for path, stage in json.loads(sys.argv[1]):
    try:
        found = outcome(path, stage)
    except Exception:
        found = {"error": traceback.format_exc()}
    sys.stdout.write(json.dumps({"path": path, "stage": stage, **found}) + "\n")
    sys.stdout.flush()
