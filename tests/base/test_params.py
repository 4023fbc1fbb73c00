from __future__ import annotations

import numpy as np
import pytest

from certus.base.params import (
    ArrayLike,
    Boolean,
    Exactly,
    InstanceOf,
    Interval,
    OneOf,
    ParameterError,
    RandomState,
    Verbosity,
    check_parameters,
)


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (Interval(0, None), [0, 1.5, np.float32(2), np.int64(3)], [-1, "1", None, True, float("nan")]),
        (Interval(0, 1, closed="neither"), [0.5], [0, 1, 0.0, 1.0]),
        (Interval(1, None, integer=True), [1, np.int32(7)], [0, 1.0, "a", False]),
        (OneOf("auto", "svd"), ["auto"], ["Auto", 1, None]),
        (Exactly(None), [None], [0, False]),
        (InstanceOf(dict), [{}], [[]]),
        (Boolean(), [True, np.bool_(False)], [0, 1, "yes"]),
        (Verbosity(), [0, 2, True], [-1, 0.5]),
        (ArrayLike(), [[1], np.ones(2)], ["text", {}, 3]),
        (RandomState(), [None, 0, np.random.RandomState(0), np.random.default_rng(0)], [-1, "seed", 2**32]),
    ],
)
def test_rules(rule: object, good: list, bad: list) -> None:
    assert all(rule.allows(value) for value in good)  # type: ignore[attr-defined]
    assert not any(rule.allows(value) for value in bad)  # type: ignore[attr-defined]


def test_message_names_parameter_learner_allowed_and_received() -> None:
    rules = {"alpha": [Interval(0, None), Exactly(None)]}
    with pytest.raises(
        ParameterError,
        match=r"^The 'alpha' parameter of Ridge must be a float in the range \[0.0, inf\) or None\. Got -1 ins",
    ):
        check_parameters("Ridge", rules, {"alpha": -1})


def test_near_miss_is_guessed() -> None:
    with pytest.raises(ParameterError, match="Hint: did you mean solver='cholesky'"):
        check_parameters("Ridge", {"solver": [OneOf("auto", "cholesky")]}, {"solver": "cholesk"})


def test_error_is_value_and_type_error() -> None:
    assert issubclass(ParameterError, ValueError)
    assert issubclass(ParameterError, TypeError)
