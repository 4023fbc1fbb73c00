"""What is proved about draws of the unadjusted Langevin algorithm, against laws that are known."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from certus.guarantees import CertificateError
from certus.sampling import MALA, ULA, Target, sample

VARIANCES = np.array([1.0, 0.25])  # m = 1, L = 4


def normal(m: float | None = 1.0, smooth: float | None = 4.0) -> Target:
    return Target(
        lambda t: -0.5 * float((t**2 / VARIANCES).sum()),
        lambda t: -t / VARIANCES,
        dim=2,
        strong_convexity=m,
        smoothness=smooth,
    )


def promised(sampler: Any = None, **options: Any) -> list[Any]:
    settings: dict[str, Any] = {"draws": 20, "tune": 30, "chains": 3, "random_state": 0}
    return list(sample(normal(), sampler or ULA(0.1), **{**settings, **options}).report_)


def law_distance(start: np.ndarray, step_size: float, draw: int) -> float:
    """The Wasserstein distance of the normal law of a draw from the target, by its mean and deviations."""
    factor = 1 - step_size / VARIANCES
    mean = factor**draw * start
    spread = 2 * step_size * (1 - factor ** (2 * draw)) / (1 - factor**2)
    return float(np.sqrt((mean**2).sum() + ((np.sqrt(spread) - np.sqrt(VARIANCES)) ** 2).sum()))


@pytest.mark.parametrize("step_size", [0.003, 0.1, 0.4])
@pytest.mark.parametrize("tune", [0, 7, 300])
def test_no_draw_that_was_kept_is_farther_away_than_promised(step_size: float, tune: int) -> None:
    starts = np.array([[3.0, -2.0], [0.0, 0.0], [50.0, 1.0]])
    (found,) = promised(ULA(step_size), tune=tune, start=starts, thin=3)
    assert found.inputs["first"] == tune + 3
    assert found.inputs["last"] == tune + 60
    for draw in range(tune + 3, tune + 61):
        assert max(law_distance(start, step_size, draw) for start in starts) <= found.value
    assert found.kind == "exact"
    assert found.check()
    assert found.check(normal())


def test_after_many_steps_the_bound_is_that_of_the_step_size() -> None:
    (found,) = promised(tune=2000)
    assert found.value == pytest.approx(1.65 * 4 * np.sqrt(0.1 * 2))


def test_steps_chosen_by_the_sampler_and_chains_that_go_on_have_it_too() -> None:
    (found,) = promised(ULA("auto", bias=0.05))
    assert all(0 < step < 0.4 for step in found.inputs["step_sizes"])
    first = sample(normal(), ULA(0.1), draws=10, tune=0, chains=2, random_state=0)
    more = sample(normal(), ULA(0.1), draws=10, chains=2, random_state=1, resume=first)
    (found,) = more.report_
    assert found.inputs["first"] == 1
    np.testing.assert_array_equal(found.witness["starts"], first.values[:, -1])


def test_nothing_is_promised_where_the_theorem_does_not_apply() -> None:
    assert promised(ULA(0.45)) == []  # stable, but above 2 / (m + L)
    assert promised(MALA(0.1)) == []
    assert promised(callback=lambda _chain, draw, _state, _info: draw == 9) == []  # the draws decided when to stop
    assert list(sample(normal(smooth=None), ULA(0.1), draws=5, tune=0, random_state=0).report_) == []


@pytest.mark.parametrize(
    ("part", "changes"),
    [
        ("inputs", {"smoothness": 2.0}),
        ("inputs", {"strong_convexity": 5.0}),
        ("inputs", {"first": 500}),
        ("inputs", {"step_sizes": [0.5, 0.5, 0.5]}),
        ("witness", {"slopes": [0.0, 0.0, 0.0]}),
        ("witness", {"slopes": [float("nan")] * 3}),
    ],
)
def test_changed_records_are_refused(part: str, changes: dict[str, Any]) -> None:
    (found,) = promised()
    with pytest.raises(CertificateError):
        replace(found, **{part: {**getattr(found, part), **changes}}).check()
    with pytest.raises(CertificateError):
        replace(found, value=0.9 * found.value).check()


def slope(factor: float, t: np.ndarray) -> np.ndarray:
    return np.asarray(-factor * t / VARIANCES)


def test_another_target_contradicts_the_record() -> None:
    (found,) = promised()
    for factor in (0.5, 2.0):
        with pytest.raises(CertificateError):
            found.check(Target(normal().log_density, partial(slope, factor), dim=2))
