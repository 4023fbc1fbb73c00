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
# Trained in single precision, whose roundings differ between the sets.
SINGLE = ("certus.neural.TabularMLPClassifier", "certus.neural.TabularMLPRegressor")

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
                rtol, atol = (1e-3, 1e-3) if name in SINGLE else (1e-7, 1e-9)
                np.testing.assert_allclose(part, expected, rtol=rtol, atol=atol, err_msg=f"{name} on {wish}")


# A table with all kinds of numbers, as text of its bits, and the hashes of its rows in every form.
HASHES = """
    import json
    import numpy as np
    from scipy import sparse
    from certus.guarantees.rows.row_hashes import cell_hashes, column_keys, row_hashes

    rng = np.random.default_rng(0)
    found = {}
    for rows, columns in ((3, 1), (50, 7), (30, 8), (20, 33), (2100, 5)):
        table = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-30, 30, (rows, columns))
        odd = rng.random(table.shape)
        table[odd < 0.2], table[odd < 0.1], table[odd < 0.05] = 0.0, -0.0, np.nan
        table[odd > 0.97], table[odd > 0.99] = np.inf, 1e300
        wide = np.repeat(np.repeat(table, 2, axis=0), 2, axis=1)[::2, ::2]
        with np.errstate(over="ignore"):
            forms = [table, table.astype(np.float32), np.asfortranarray(table), wide, sparse.csr_array(table)]
        slow = cell_hashes(list(table.T), column_keys(columns))
        assert all((row_hashes(form) == slow).all() for form in forms), (rows, columns)
        found[rows] = slow.tolist()
    print(json.dumps(found))
"""


def test_rows_hash_alike_with_every_instruction_set():
    """Hashes are stored in model files: bits, not only to rounding; the slow form in NumPy says the same."""
    answers = [json.loads(run(HASHES, {"CERTUS_ISA": wish}).splitlines()[-1]) for wish in SETS]
    assert all(answer == answers[0] for answer in answers)
