"""Quantities: fields for programs, a sentence for people, and files in which they were sentences only."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import certus
from certus.guarantees import Certificate, CertificateError, Quantity, Report, error_bound
from certus.guarantees.records import LARGE_ERRORS
from certus.guarantees.records.first_schema import quantity_of

FIRST_SCHEMA = Path(__file__).parents[1] / "persistence" / "files" / "certificates-schema-1.json"
SENTENCES = {
    "error": Quantity("error"),
    "recall of yes": Quantity("recall", of="yes"),
    "share of rows with |error| > 0.5": Quantity(LARGE_ERRORS, threshold=0.5),
    "mean distance in levels": Quantity("mean distance", unit="levels"),
    "mean over groups of the error": Quantity("error", per="group"),
}


@pytest.mark.parametrize(("sentence", "quantity"), SENTENCES.items())
def test_a_quantity_equals_its_sentence(sentence, quantity):
    assert str(quantity) == sentence
    assert quantity == sentence
    assert sentence == quantity
    assert {sentence: 1}[quantity] == 1
    assert quantity != "accuracy"
    assert quantity != 1
    assert Quantity.from_dict(json.loads(json.dumps(quantity.to_dict()))).to_dict() == quantity.to_dict()


def test_matching_asks_for_exactly_the_filled_fields():
    recall = Quantity("recall", of="yes")
    assert recall.matches("precision", "recall", having={"of"})
    assert not recall.matches("recall")
    assert not recall.matches("recall", having={"of", "per"})
    assert not recall.matches("precision", having={"of"})


@pytest.mark.parametrize("fields", [{"name": ""}, {"name": 3}, {"name": "a", "per": " "}, {"name": "a", "of": 3}])
def test_texts_must_be_texts(fields):
    with pytest.raises(ValueError, match="must be a non-empty string, got"):
        Quantity(**fields)


@pytest.mark.parametrize("threshold", ["1", True, np.nan])
def test_thresholds_must_be_numbers(threshold):
    with pytest.raises(ValueError, match="threshold must be a number, got"):
        Quantity("a", threshold=threshold)


@pytest.mark.parametrize(
    "change",
    [
        {"quantity": "recall"},
        {"quantity": 3},
        {"quantity_fields": {"name": "recall", "of": None, "threshold": None, "unit": None, "per": None}},
        {"quantity_fields": {"name": "error"}},
        {"quantity_fields": "error"},
    ],
)
def test_sentence_and_fields_must_agree(change):
    with pytest.raises(CertificateError, match="quantity"):
        Certificate.from_dict({**error_bound(15, 500).to_dict(), **change})


def test_certificates_of_the_first_schema_load_and_check():
    old = json.loads(FIRST_SCHEMA.read_text())
    assert {item["schema"] for item in old["certificates"]} == {1}
    report = Report.from_dict(old)
    assert report.check()
    assert sorted(map(str, report.quantities)) == sorted({item["quantity"] for item in old["certificates"]})
    assert Report.from_json(report.to_json()) == report
    assert report["recall of yes"].quantity.of == "yes"
    assert report["mean over groups of the share of rows with |error| > 0.5"].quantity.threshold == 0.5


def test_certificates_of_the_first_schema_are_counted_again():
    class Zero:
        def predict(self, X):
            return np.zeros(len(X))

    old = Report.from_json(FIRST_SCHEMA.read_text())
    model = Zero()
    model.report_ = Report(old.all("share of rows with |error| > 0.5"))
    y = np.array([0.6, -0.7, *[0.1] * 8])
    checked = certus.check(model, (np.zeros((10, 1)), y)).certificates[0]
    # The first schema does not say which rows were counted, so that equal counts prove nothing about them.
    assert checked.level == "consistent"
    assert "2 of 10 rows" in checked.remark
    y[2] = 0.6
    assert "3 of 10 rows" in certus.check(model, (np.zeros((10, 1)), y)).certificates[0].remark


@given(st.text(min_size=1, max_size=30).filter(str.strip))
def test_any_sentence_of_the_first_schema_is_kept(sentence):
    for form in ("{}", "recall of {}", "mean over groups of the {}", f"{LARGE_ERRORS} > {{}}"):
        assert str(quantity_of(form.format(sentence))) == form.format(sentence)


def test_a_vacuous_certificate_says_why():
    nothing = error_bound(3, 3)
    assert nothing.why_vacuous().startswith("error: the bound 1 says no more than could be said without data")
    assert str(nothing).count("confidence 95%") == 1
    assert "[confidence" not in str(error_bound(1, 300))
    assert "[confidence 95%; " in str(dataclasses.replace(error_bound(1, 300), rule="guard-search"))
    assert dataclasses.replace(nothing, quantity=Quantity("recall", of="a")).quantity.of == "a"
