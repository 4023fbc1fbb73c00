"""compare by scores of folds, and plan for classes of hypotheses: what the classical numbers say, and what kind."""

import json

import numpy as np
import pytest

import certus
from certus.guarantees import hypothesis_classes, sample_size, vc_rows
from certus.guarantees.holdout import classical_tests, holm

A = [0.81, 0.82, 0.84, 0.78, 0.85, 0.86, 0.82, 0.83, 0.82, 0.81]
B = [0.80, 0.77, 0.70, 0.83, 0.80, 0.78, 0.75, 0.80, 0.78, 0.77]


@pytest.mark.parametrize(
    ("test", "options", "expected"),
    [
        ("paired-t", {}, classical_tests.paired_t(A, B)),
        ("corrected-t", {}, classical_tests.corrected_t(A, B, test_share=1 / 9)),
        ("corrected-t", {"test_share": 0.5}, classical_tests.corrected_t(A, B, test_share=0.5)),
        ("z", {"deviation": 0.05}, classical_tests.z_test(np.subtract(A, B), 0.05)),
        ("wilcoxon", {}, classical_tests.wilcoxon(A, B)),
        ("friedman", {}, classical_tests.friedman(np.column_stack([A, B]))),
    ],
)
def test_two_learners(test, options, expected):
    found = certus.compare(A, B, test=test, **options)
    assert found.results == (expected,)
    assert found.pvalue == expected.pvalue
    assert found.kind == "estimate"
    assert "an estimate, not a guarantee" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["kind"] == "estimate"


def test_verdicts():
    assert certus.compare(A, B, test="paired-t").verdict == "A is better than B"
    assert certus.compare(B, A, test="paired-t").verdict == "B is better than A"
    assert certus.compare(A, B, test="corrected-t").verdict == "cannot tell"


def test_five_by_two():
    a = np.array(A).reshape(5, 2)
    b = np.array(B).reshape(5, 2)
    assert certus.compare({"a": a, "b": b}, test="5x2cv").results == (classical_tests.five_by_two(a - b),)


def test_several_learners_pay_for_all_pairs():
    rng = np.random.default_rng(0)
    scores = {name: level + rng.normal(0, 0.01, 12) for name, level in (("a", 0.9), ("b", 0.8), ("c", 0.801))}
    found = certus.compare(scores, test="wilcoxon")
    assert found.adjusted == tuple(holm([one.pvalue for one in found.results]))
    assert set(found.better) == {("a", "b"), ("a", "c")}
    assert found.pvalue is None
    assert certus.compare(scores, test="friedman").verdict == "some learners differ"
    ranked = certus.compare(scores, test="nemenyi")
    assert set(ranked.better) == {("a", "b"), ("a", "c")}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "t"}, "test must be one of 'paired-t'"),
        ({"test": "z"}, "deviation=None does not go with test='z'"),
        ({"test": "paired-t", "deviation": 1.0}, "deviation=1.0 does not go with"),
        ({"test": "paired-t", "test_share": 0.1}, "test_share does not go with"),
        ({"test": "paired-t", "y": A}, "must not be given with test"),
        ({"test": "5x2cv"}, "of shape"),
    ],
)
def test_wrong_use(options, message):
    with pytest.raises(ValueError, match=message):
        certus.compare(A, B, **options)


def test_unequal_lengths():
    with pytest.raises(ValueError, match="equally long"):
        certus.compare(A, B[:5], test="friedman")


@pytest.mark.parametrize("setting", ["realizable", "uniform", "agnostic"])
def test_rows_of_a_finite_class(setting):
    found = certus.plan(0.05, 0.99, hypotheses=1000, setting=setting)
    assert found.rows == sample_size(1000, 0.05, 0.99, setting)
    assert found.bound(found.rows).value <= 0.05 < found.bound(found.rows // 2).value
    assert found.bound(found.rows).check()
    assert str(found).startswith("After ")
    assert found.to_dict()["rows"] == found.rows


def test_rows_by_vc_dimension():
    found = certus.plan(0.1, vc_dimension=3)
    assert found.rows == vc_rows(3, 0.1)
    assert found.bound(found.rows).value <= 0.1 < found.bound(found.rows - 1).value
    intervals = certus.plan(0.1, vc_dimension=hypothesis_classes.intervals())
    assert intervals.rows == certus.plan(0.1, vc_dimension=2).rows
    assert intervals.to_dict()["vc_dimension"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hypotheses": 10, "vc_dimension": 3}, "exactly one of hypotheses and vc_dimension"),
        ({"hypotheses": 10, "setting": "lucky"}, "setting must be one of 'realizable', 'uniform', 'agnostic'"),
        ({"vc_dimension": 3, "setting": "uniform"}, "setting must be one of 'realizable', got"),
        ({"hypotheses": 10, "true_error": 0.1}, "must not be given for a class"),
    ],
)
def test_classes_that_cannot_be_planned(options, message):
    with pytest.raises(ValueError, match=message):
        certus.plan(0.1, **options)


def test_a_class_without_a_dimension():
    with pytest.raises(ValueError, match="finite VC dimension"):
        assert certus.plan(0.1, vc_dimension=hypothesis_classes.sines()).rows
