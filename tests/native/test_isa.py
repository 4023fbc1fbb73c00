"""The instruction sets: the same answers to rounding, chosen by CERTUS_ISA, refused if unknown."""

from __future__ import annotations

import json
import platform

import numpy as np
import pytest

from certus import _native
from tests.native.scripts import run, start

pytestmark = pytest.mark.sanitize

SETS = ("baseline", "avx2", "avx512")

# What every learner of the catalogue says about fresh rows, as JSON.
ANSWERS = """
    import json
    import numpy as np
    from certus import _native
    from tests.common.problems import learners, make, outputs, problem

    answers = {"isa": _native.isa()}
    for parameter in learners():
        entry = parameter.values[0]
        X, y = problem(entry, rows=400, columns=6)
        learner = make(entry)
        if entry.family == "svm":  # what is left to chance is what the tolerance allows
            learner.set_params(tol=1e-10)
        fitted = learner.fit(X[:300], y[:300])
        answers[entry.path] = [np.asarray(part).tolist() for part in outputs(fitted, X[300:])]
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 10_007))
    answers["dot"] = [_native.dot(a, b)]
    print(json.dumps(answers))
"""


def test_the_best_set_is_used_and_less_can_be_asked_for():
    best = _native.isa()
    assert best in SETS
    for wish in SETS:
        granted = run("from certus import _native; print(_native.isa())", {"CERTUS_ISA": wish}).strip()
        assert granted == SETS[min(SETS.index(wish), SETS.index(best))]


def test_an_unknown_set_is_refused():
    child = start("from certus import _native", {"CERTUS_ISA": "sse9"})
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 1
    assert "CERTUS_ISA must be baseline, avx2 or avx512, received 'sse9'" in errors
    assert "Hint: unset it" in errors


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="one instruction set only")
def test_every_learner_answers_alike_on_every_set():
    reference = json.loads(run(ANSWERS, {"CERTUS_ISA": "baseline"}))
    assert reference.pop("isa") == "baseline"
    for wish in SETS[1:]:
        answers = json.loads(run(ANSWERS, {"CERTUS_ISA": wish}))
        if answers.pop("isa") != wish:
            continue  # more than this machine has
        assert answers.keys() == reference.keys()
        for name, parts in answers.items():
            for part, expected in zip(parts, reference[name], strict=True):
                np.testing.assert_allclose(part, expected, rtol=1e-7, atol=1e-9, err_msg=f"{name} on {wish}")
