"""The table encoder: what each kind of column becomes, learned on training rows only."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import certus
from certus.workflow import TableEncoder

FRAME = pl.DataFrame(
    {
        "size": [1.0, None, 3.0, 5.0],
        "color": ["red", "blue", None, "red"],
        "day": [dt.date(2024, 1, 1), dt.date(2024, 4, 1), None, dt.date(2024, 7, 1)],
        "note": ["good good food", "bad food", "good service", "food and service and food"],
    }
)
KINDS = {"numbers": ["size"], "categories": ["color"], "dates": ["day"], "texts": ["note"]}


def test_scaled_numbers_are_filled_and_standardized() -> None:
    encoder = TableEncoder(numbers=["size"]).fit(FRAME)
    values = encoder.transform(FRAME)
    filled = np.array([1.0, 3.0, 3.0, 5.0])
    assert_allclose(values[:, 0], (filled - filled.mean()) / filled.std())
    assert_array_equal(values[:, 1], [0, 1, 0, 0])
    assert list(encoder.get_feature_names_out()) == ["size", "size missing"]


def test_one_hot_has_a_place_for_missing_and_none_for_the_unseen() -> None:
    encoder = TableEncoder(categories=["color"]).fit(FRAME)
    assert list(encoder.get_feature_names_out()) == ["color = red", "color = missing", "color = blue"]
    new = pl.DataFrame({"color": ["blue", "green", None]})
    assert_array_equal(encoder.transform(new), [[0, 0, 1], [0, 0, 0], [0, 1, 0]])


def test_rare_levels_share_a_place() -> None:
    many = pl.DataFrame({"code": [f"c{i}" for i in range(60)] + ["c0"]})
    encoder = TableEncoder(categories=["code"]).fit(many)
    assert encoder.transform(many).shape == (61, 51)
    assert_array_equal(encoder.transform(pl.DataFrame({"code": ["new"]}))[0].nonzero()[0], [50])


def test_native_keeps_missing_values_and_codes_categories_first() -> None:
    encoder = TableEncoder(numbers=["size"], categories=["color"], style="native").fit(FRAME)
    assert_array_equal(encoder.transform(FRAME), [[0, 1], [1, np.nan], [np.nan, 3], [0, 5]])


def test_dates_turn_in_circles() -> None:
    encoder = TableEncoder(dates=["day"], style="native").fit(FRAME)
    values = encoder.transform(FRAME)
    assert_allclose(values[:, 0], [19723, 19814, np.nan, 19905])
    assert_allclose(values[[0, 1], 1], np.sin(2 * np.pi * np.array([1, 4]) / 12))
    assert np.isnan(values[2]).all()
    assert not np.isnan(TableEncoder(dates=["day"]).fit_transform(FRAME)).any()


def test_texts_are_weighted_by_rarity() -> None:
    encoder = TableEncoder(texts=["note"]).fit(FRAME)
    names = list(encoder.get_feature_names_out())
    assert [name for name in names if "letters" not in name] == ["note: food"]  # in three texts, not in nearly all
    assert_array_equal(encoder.transform(FRAME)[:, 0], [1.0, 1.0, 0.0, 1.0])


@pytest.mark.parametrize("style", ["scaled", "native"])
def test_saved_and_loaded_and_fed_from_any_frame(style: str, tmp_path: Path) -> None:
    encoder = TableEncoder(**KINDS, style=style).fit(FRAME)
    certus.save(encoder, tmp_path / "encoder.certus")
    again = certus.load(tmp_path / "encoder.certus")
    assert_array_equal(again.transform(FRAME), encoder.transform(FRAME))
    assert_array_equal(encoder.transform(FRAME.to_pandas()), encoder.transform(FRAME))
    assert_array_equal(encoder.transform(FRAME.to_arrow()), encoder.transform(FRAME))


def test_one_row_is_encoded_as_among_many() -> None:
    encoder = TableEncoder(**KINDS).fit(FRAME)
    together = encoder.transform(FRAME)
    for row in range(FRAME.height):
        assert_allclose(encoder.transform(FRAME[row : row + 1])[0], together[row], rtol=1e-14)


def test_refusals() -> None:
    encoder = TableEncoder(**KINDS).fit(FRAME)
    with pytest.raises(ValueError, match=r"column 'size', row 2: 'big' is not a number"):
        encoder.transform(FRAME.with_columns(size=pl.Series(["1", "big", "2", "3"])))
    with pytest.raises(ValueError, match=r"lacks the columns \['color', 'size'\]"):
        encoder.transform(FRAME.drop("color", "size"))
    with pytest.raises(ValueError, match="needs a data frame"):
        encoder.transform(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="learned dates there"):
        encoder.transform(FRAME.with_columns(day=pl.lit(3.5)))


def many_levels(rows: int = 600) -> tuple[pl.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 80, rows)
    return pl.DataFrame({"zip": [f"z{code:02d}" for code in codes]}), rng.normal(size=80)[codes]


def test_mean_targets_of_many_levels_come_from_other_rows() -> None:
    frame, y = many_levels()
    encoder = TableEncoder(categories=["zip"])
    trained = encoder.fit_transform(frame, y)
    assert list(encoder.get_feature_names_out())[-1] == "zip: mean target"
    assert np.corrcoef(trained[:, -1], y)[0, 1] > 0.8
    noise = np.random.default_rng(1).normal(size=frame.height)
    seen = encoder.fit(frame, noise).transform(frame)[:, -1]
    unseen = encoder.fit_transform(frame, noise)[:, -1]
    assert np.corrcoef(seen, noise)[0, 1] > 0.2  # a row that sees its own target
    assert np.corrcoef(unseen, noise)[0, 1] < 0.1
    standard = (noise - noise.mean()) / noise.std()
    first = (frame["zip"] == frame["zip"][0]).to_numpy()
    assert_allclose(seen[0], standard[first].sum() / (first.sum() + 10))
    assert encoder.transform(pl.DataFrame({"zip": ["nowhere"]}))[0, -1] == 0.0


def test_classes_have_a_mean_each_and_few_levels_none() -> None:
    frame, _ = many_levels()
    y = np.array(["a", "b", "c"])[np.arange(frame.height) % 3]
    names = TableEncoder(categories=["zip"]).fit(frame, y).get_feature_names_out()
    assert [name for name in names if "mean target" in name] == ["zip: mean target 0", "zip: mean target 1"]
    assert TableEncoder(categories=["zip"]).fit_transform(frame).shape[1] == 51
    few = frame.with_columns(zip=pl.col("zip").str.slice(0, 2))
    assert TableEncoder(categories=["zip"]).fit_transform(few, y).shape[1] == few["zip"].n_unique()


def test_letters_of_short_texts_are_hashed_alike_everywhere(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    names = [f"{rng.choice(['ford', 'bmw', 'fiat'])}{number}" for number in rng.integers(0, 10**6, 90)]
    frame = pl.DataFrame({"name": names, "long": ["many words " * 9] * 90})
    encoder = TableEncoder(texts=["name", "long"]).fit(frame)
    letters = [name for name in encoder.get_feature_names_out() if "letters" in name]
    assert letters[0] == "name: letters 0"
    assert len(letters) == 64  # texts of 60 letters and more have words enough
    values = encoder.transform(frame)[:, -64:]
    assert_allclose(np.linalg.norm(values, axis=1), 1.0)
    same = values @ values.T
    ford, bmw = (np.array([name.startswith(brand) for name in names]) for brand in ("ford", "bmw"))
    assert same[np.ix_(ford, ford)].mean() > same[np.ix_(ford, bmw)].mean() + 0.1
    certus.save(encoder, tmp_path / "encoder.certus")
    assert_array_equal(certus.load(tmp_path / "encoder.certus").transform(frame), encoder.transform(frame))
    assert encoder.transform(pl.DataFrame({"name": [None, "", "ü"], "long": [None] * 3}, strict=False)).shape[0] == 3
