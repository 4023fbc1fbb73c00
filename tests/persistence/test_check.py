"""`certus.check`: certificates of models and files, alone, on their rows, and on other rows."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import certus
from certus.bayes import GaussianNB
from certus.guarantees import Report, error_bound
from certus.guarantees.holdout.rate import RateSetting, rate_bound
from certus.guarantees.records import LARGE_ERRORS, Quantity
from certus.guarantees.rows import fingerprint, table_hashes


def rows(count: int, seed: int, noise: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, 2))
    return X, np.where(X[:, 0] + noise * rng.normal(size=count) > 0, "yes", "no")


@pytest.fixture
def model() -> GaussianNB:
    X, y = rows(300, 0)
    model = GaussianNB().fit(X, y)
    model.report_ = certus.Report([model.certify(*rows(200, 1))["error"]])
    return model


def test_model_and_file_hold(model: GaussianNB, tmp_path: Path) -> None:
    assert certus.check(model)
    certus.save(model, tmp_path / "model.certus")
    result = certus.check(str(tmp_path / "model.certus"))
    assert result
    assert [item.holds for item in result.certificates] == [True]
    assert str(result).startswith("consistent (the arithmetic holds; the counts are the author's): With confidence 95%")
    assert result.level == "consistent"
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert told["holds"] is True
    assert told["level"] == "consistent"
    assert told["training_overlap"] is None
    assert {"claim", "value", "kind", "confidence", "theorem", "holds"} <= set(told["certificates"][0])


def test_its_own_rows_are_counted_again(model: GaussianNB) -> None:
    result = certus.check(model, rows(200, 1))
    assert result
    assert result.level == "recounted"
    assert result.training_overlap is not None
    X, y = rows(200, 1)
    order = np.random.default_rng(0).permutation(200)
    assert certus.check(model, (X[order].astype(np.float32), y[order])).level == "recounted"
    y[:100] = np.where(y[:100] == "yes", "no", "yes")
    broken = certus.check(model, (X, y))
    assert broken.level == "contradicted"
    assert "CONTRADICTED" in str(broken)


def test_forged_counts_are_consistent_but_not_recounted(model: GaussianNB) -> None:
    (honest,) = model.report_
    for rows_of in (honest.fingerprint, None, "0" * 64):
        model.report_ = Report([dataclasses.replace(error_bound(0, 3600), fingerprint=rows_of)])
        assert certus.check(model).level == "consistent"
        found = certus.check(model, rows(200, 1))
        assert found.level == "contradicted"
    # What the rows do not contradict is still the word of its author.
    model.report_ = Report([error_bound(honest.witness["errors"], 200)])
    assert certus.check(model, rows(200, 1)).level == "consistent"


def test_rates_of_classes_are_counted_again(model: GaussianNB) -> None:
    X, y = rows(200, 1)
    model.report_ = certus.certify(model, X, y)
    found = {item.certificate.quantity: item for item in certus.check(model, (X, y)).certificates}
    assert all(item.recounted for item in found.values())
    for quantity in ("error", "recall of yes", "precision of yes", "recall of no", "F1 of yes"):
        assert quantity in found, quantity
    assert all(item.holds for item in found.values())
    swapped = certus.check(model, (X, np.where(y == "yes", "no", "yes")))
    broken = {item.certificate.quantity for item in swapped.certificates if not item.holds}
    assert {"error", "recall of yes", "precision of yes"} <= broken
    alone = certus.check(model, (X[y == "yes"], y[y == "yes"]))
    remarks = {item.certificate.quantity: item.remark for item in alone.certificates}
    assert remarks["recall of no"] == "none of these rows is of the kind that it is about"


def test_other_rows_may_contradict(model: GaussianNB) -> None:
    result = certus.check(model, rows(500, 2))
    assert result
    assert not result.certificates[0].recounted
    assert "do not contradict" in result.certificates[0].remark
    shifted = certus.check(model, rows(500, 3, noise=30.0))
    assert not shifted
    assert "the data contradict it" in shifted.certificates[0].remark


def test_contradictions_are_rare_when_the_claim_is_true() -> None:
    """At the edge of the claim, at most one check in a thousand calls it contradicted."""
    bound = error_bound(0, 28).value
    rng = np.random.default_rng(0)
    counts = rng.binomial(400, bound, size=20_000)
    distinct, times = np.unique(counts, return_counts=True)
    contradicted = [error_bound(int(k), 400, confidence=0.999, side="lower").value > bound for k in distinct]
    assert times[contradicted].sum() / counts.size < 0.001 + 4 * np.sqrt(0.001 / counts.size)


def test_tampered_certificates(model: GaussianNB) -> None:
    (certificate,) = model.report_
    for change in ({"value": 0.001}, {"confidence": 0.999}, {"claim": "The error is zero."}):
        model.report_ = Report([dataclasses.replace(certificate, **change)])
        assert not certus.check(model)


def test_rules_nobody_knows(model: GaussianNB) -> None:
    (certificate,) = model.report_
    model.report_ = Report([dataclasses.replace(certificate, rule="nobody/knows")])
    result = certus.check(model)
    assert not result
    assert "no checker is registered" in result.certificates[0].remark


def test_large_errors_of_a_regression() -> None:
    class Zero:
        def predict(self, X: np.ndarray) -> np.ndarray:
            return np.zeros(len(X))

    model = Zero()
    claim = rate_bound(2, 10, RateSetting(quantity=Quantity(LARGE_ERRORS, threshold=0.5), noun="such row"))
    model.report_ = Report([claim])  # type: ignore[attr-defined]
    y = np.array([0.6, -0.7, *[0.1] * 8])
    assert certus.check(model, (np.zeros((10, 1)), y)).level == "consistent"  # nothing says that these are its rows
    seen = dataclasses.replace(claim, fingerprint=fingerprint(table_hashes(np.zeros((10, 1)), y)))
    model.report_ = Report([seen])  # type: ignore[attr-defined]
    assert certus.check(model, (np.zeros((10, 1)), y)).level == "recounted"
    assert not certus.check(model, (np.zeros((40, 1)), 2 * np.ones(40)))


def test_pipelines_give_the_certificates_of_their_steps_once(model: GaussianNB) -> None:
    X, y = rows(300, 0)
    pipeline = make_pipeline(StandardScaler(), GaussianNB()).fit(X, y)
    pipeline[-1].report_ = model.report_
    assert len(certus.check(pipeline).certificates) == 1
    pipeline.report_ = model.report_.with_([error_bound(0, 10)])
    assert len(certus.check(pipeline).certificates) == 2


def test_nothing_to_check() -> None:
    result = certus.check(GaussianNB())
    assert result
    assert str(result) == "No certificates to check."


def test_data_by_quantity(model: GaussianNB) -> None:
    X, y = rows(200, 1)
    assert certus.check(model, {"error": model.predict(X) != y}).certificates[0].recounted
    assert not certus.check(model, {"error": np.zeros(200)})


def test_data_of_the_wrong_form(model: GaussianNB) -> None:
    with pytest.raises(ValueError, match=r"data must be a tuple \(X, y\) or a dictionary, got list.\nHint"):
        certus.check(model, [1, 2])
    with pytest.raises(ValueError, match=r"predictions of shape \(200,\), but y has the shape \(3,\)"):
        certus.check(model, (rows(200, 1)[0], ["yes"] * 3))
