"""Files written by earlier releases keep loading."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.testing import assert_allclose

import certus
from certus.bayes import GaussianNB

FILES = Path(__file__).parent / "files"


def test_naive_bayes_of_schema_1() -> None:
    model = certus.load(FILES / "gaussian-nb-schema-1.certus")
    assert type(model) is GaussianNB
    assert model.get_params() == {"priors": [0.5, 0.5], "var_smoothing": 1e-9}
    rows = np.array([[-2.0, 0.5], [-1.0, 1.5]])
    expected = [[8.508887994143099e-09, 0.9999999914911122], [8.874251661236247e-06, 0.9999911257483388]]
    assert_allclose(model.predict_proba(rows), expected, rtol=1e-10)
    assert list(model.predict(rows)) == ["low", "low"]
    assert model.report_["error"].claim.startswith(
        "With confidence 90% the error is at most 9.38% (1 error in 40 rows)"
    )
    assert model.report_.check()
