"""Data roles count their uses, and certificates pay for them."""

import numpy as np
import pytest

from certus.guarantees import DataRole, error_bound
from certus.guarantees.holdout import certify
from certus.verbs.comparing import compare
from certus.verbs.selecting import select

TRUTH = np.arange(200) % 2
GUESS = np.where(np.arange(200) < 10, 1 - TRUTH, TRUTH)


def test_looking_twice_is_paid_for():
    role = DataRole("test", 200)
    first, second = (certify(y_true=TRUTH, y_pred=GUESS, role=role)["error"] for _ in range(2))
    assert (first.value, second.value) == (error_bound(10, 200).value, error_bound(10, 200, uses=2).value)
    assert "uses-counted" in second.assumptions
    assert "2 uses of these rows paid for" in second.claim
    assert second.check()


def test_every_candidate_is_a_use():
    role = DataRole("validation", 200)
    select({"a": GUESS, "b": TRUTH, "c": GUESS}, y=TRUTH, role=role)
    compare(GUESS, TRUTH, y=TRUTH, role=role)
    assert role.uses == 4
    assert role.to_dict()["ledger"] == [["select", 3], ["compare", 1]]
    assert certify(y_true=TRUTH, y_pred=GUESS, role=role)["error"].inputs["uses"] == 5


def test_training_rows_certify_nothing():
    with pytest.raises(ValueError, match="training rows cannot certify"):
        certify(y_true=TRUTH, y_pred=GUESS, role=DataRole("training", 200))
