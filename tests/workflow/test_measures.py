"""Measures of several classes: what is measured is what is promised."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from certus.workflow import study


def flowers(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    kind = rng.choice(3, size=rows, p=[0.5, 0.3, 0.2])
    return pl.DataFrame(
        {
            "length": kind + 0.6 * rng.normal(size=rows),
            "width": (kind == 1) + 0.6 * rng.normal(size=rows),
            "kind": np.array(["iris", "rose", "aster"])[kind],
        }
    )


def test_auc_of_several_classes_is_that_of_pairs_and_certified() -> None:
    result = study(flowers(400), target="kind", measure="auc", families=["linear", "bayes"], trials=3)
    truth, shares = result.task.positions(result.evaluation.truth), result.evaluation.probabilities
    expected = 1.0 - roc_auc_score(truth, shares, multi_class="ovo")
    assert result.evaluation.value == pytest.approx(expected, abs=1e-12)
    certificate = result.certificate
    assert certificate.quantity == "mean area under the ROC curves of pairs of classes"
    assert certificate.direction == "lower"
    assert 0.7 < certificate.value < 1.0 - result.evaluation.value == result.to_dict()["winner"]["test_value"]
    assert certificate.trivial == 0.5
    assert certificate.check((truth, shares))
    assert result.winner.value < 0.2 < result.baseline == pytest.approx(0.5, abs=0.05)
