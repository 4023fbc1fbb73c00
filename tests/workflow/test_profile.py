"""What a study remarks about a table before it learns anything."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from certus.workflow.columns import classify_columns
from certus.workflow.profile import Profile, profile_table

ROWS = 600
RNG = np.random.default_rng(0)
X = RNG.normal(size=ROWS)
Y = np.where(np.arange(ROWS) % 40 == 0, "rare", "usual")


def profile(**columns: object) -> Profile:
    frame = pl.DataFrame({"x": X, **columns, "y": Y})
    sizes = {"usual": int((Y == "usual").sum()), "rare": int((Y == "rare").sum())}
    return profile_table(frame, classify_columns(frame, ["y"]), ["y"], sizes)


def use_of(found: Profile, name: str) -> str:
    return next(column.described for column in found.columns if column.name == name)


@pytest.mark.parametrize(
    ("column", "use"),
    [
        (np.ones(ROWS), "not used: constant"),
        (np.arange(ROWS) + 1000, "not used: it counts the rows"),
        (
            [f"customer-{k}" for k in range(ROWS)],
            "not used: 600 different texts in 600 rows that count or hash: an identifier",
        ),
        ([None] * ROWS, "not used: all values are missing"),
        (RNG.integers(0, 9, ROWS), "number"),
        (RNG.choice(["a", "b"], ROWS), "category"),
        ([f"the {k}th note of many words" for k in range(ROWS)], "text"),
        (pl.Series(RNG.integers(0, 9000, ROWS).tolist()).cast(pl.Date), "date"),
    ],
)
def test_what_each_column_is(column: object, use: str) -> None:
    assert use_of(profile(other=column), "other") == use


def test_missing_values_are_counted_and_remarked_if_many() -> None:
    few, many = (pl.Series(X).scatter(np.arange(count), None) for count in (5, 200))
    found = profile(few=few, many=many)
    assert {column.name: column.missing for column in found.columns} == {"x": 0, "few": 5, "many": 200, "y": 0}
    told = [remark for remark in found.remarks() if "missing" in remark]
    assert told == ["column 'many': 200 of 600 values are missing"]


def test_copies_are_counted() -> None:
    repeated = np.r_[X[:580], X[:20]]
    frame = pl.DataFrame({"x": repeated, "y": ["a"] * ROWS})
    found = profile_table(frame, classify_columns(frame, ["y"]), ["y"], {})
    assert found.duplicates == 20
    assert "20 of 600 rows repeat an earlier one" in found.remarks()


def test_rare_classes_are_named() -> None:
    found = profile()
    assert found.classes == {"usual": 585, "rare": 15}
    assert any(remark.startswith("class 'rare' is rare: 15 of 600 rows") for remark in found.remarks())


def test_drift_between_first_and_last_rows() -> None:
    trend = X + np.linspace(0.0, 3.0, ROWS)
    shop = np.where(RNG.random(ROWS) < np.linspace(0.1, 0.9, ROWS), "new", "old")
    found = profile(trend=trend, shop=shop)
    assert set(found.drifting) == {"trend", "shop"}
    assert sum("drifts: the distributions of its first and last rows are" in remark for remark in found.remarks()) == 2


def test_stable_columns_rarely_drift() -> None:
    """The level of 0.001 for all columns together, in 150 tables of ten columns without drift.

    Three or more calls happen to a right level once in 2000 times; a level that is a hundred times too high makes 15.
    """
    rng, called = np.random.default_rng(1), 0
    for _ in range(150):
        frame = pl.DataFrame({f"x{k}": rng.normal(size=200) for k in range(10)})
        called += bool(profile_table(frame, classify_columns(frame, []), [], {}).drifting)
    assert called <= 2


def test_many_drifting_columns_are_one_sentence() -> None:
    moved = {f"c{index}": X + (1.0 + 0.1 * index) * (np.arange(ROWS) > ROWS // 2) for index in range(5)}
    told = [str(note) for note in profile(**moved).remarks() if "drift" in str(note)]
    assert len(told) == 1
    assert told[0].startswith("5 columns drift, most of all 'c4': the distributions of its first and last rows are ")
