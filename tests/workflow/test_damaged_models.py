"""Files of studies whose contents were changed and whose digests were repaired: refused when they are loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import certus
from certus.tables import TableEncoder
from certus.workflow.models import FoldModels


def encoder() -> TableEncoder:
    rows = 80
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "n": [None if row % 9 == 0 else float(row) for row in range(rows)],
            "c": rng.choice(["u", "v"], rows),
            "many": [f"level {row}" for row in range(rows)],
            "d": pl.datetime_range(pl.datetime(2020, 1, 1), pl.datetime(2020, 1, 4, 7), "1h", eager=True),
            "t": [f"a short text {row % 4}" for row in range(rows)],
        }
    )
    made = TableEncoder(["n"], ["c", "many"], ["d"], ["t"])
    made.fit(frame, rng.normal(size=rows))
    return made


CATEGORIES, NUMBERS, DATES, TEXTS, LETTERS, MEANS = range(6)
DAMAGES: dict[str, Callable[[Any], Any]] = {
    "names of no texts": lambda parts: setattr(parts[NUMBERS], "columns", [3]),
    "names of others": lambda parts: setattr(parts[NUMBERS], "columns", ["c"]),
    "short fill": lambda parts: setattr(parts[NUMBERS], "fill", np.empty(0)),
    "infinite mean": lambda parts: setattr(parts[NUMBERS], "mean", np.array([np.inf])),
    "scale of nothing": lambda parts: setattr(parts[NUMBERS], "scale", np.zeros(1)),
    "marks that are numbers": lambda parts: setattr(parts[NUMBERS], "indicated", np.zeros(1)),
    "another style": lambda parts: setattr(parts[NUMBERS], "scaled", False),
    "levels that are numbers": lambda parts: setattr(parts[CATEGORIES], "levels", [["u", -1], ["v"]]),
    "a level twice": lambda parts: setattr(parts[CATEGORIES], "levels", [["u", "u"], ["v"]]),
    "levels of one column": lambda parts: setattr(parts[CATEGORIES], "levels", [["u"]]),
    "days of no column": lambda parts: setattr(parts[DATES], "mean", np.empty(0)),
    "words without rarity": lambda parts: setattr(parts[TEXTS], "rarity", [np.empty(0)]),
    "rarity as dates": lambda parts: setattr(parts[TEXTS], "rarity", [np.zeros(1, "M8[s]")]),
    "letters of another length": lambda parts: setattr(parts[LETTERS], "rarity", [np.ones(63)]),
    "means of other levels": lambda parts: setattr(parts[MEANS], "means", [np.zeros((3, 1))]),
    "a part less": lambda parts: parts.pop(0),
    "parts in another order": lambda parts: parts.reverse(),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_encoder_that_does_not_fit_together_is_refused(damage: str, tmp_path: Path) -> None:
    sound = encoder()
    certus.save(sound, tmp_path / "sound.certus")
    certus.load(tmp_path / "sound.certus")
    DAMAGES[damage](sound.parts_)
    certus.save(sound, tmp_path / "model.certus")
    with pytest.raises(certus.CertusFileError, match="does not fit together"):
        certus.load(tmp_path / "model.certus")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scores_", np.array([0.1, np.nan])),
        ("scores_", np.zeros((2, 1))),
        ("fold_of_row_", np.array([0, 9])),
        ("fold_of_row_", np.array([0])),
        ("rank_", 0),
        ("rank_", 3),
        ("rank_", True),
    ],
)
def test_folds_that_do_not_fit_together_are_refused(name: str, value: Any) -> None:
    folds = FoldModels([object(), object()], [np.array([0.1]), np.array([0.2])], 1)
    folds._restored()
    setattr(folds, name, value)
    with pytest.raises(ValueError, match=name):
        folds._restored()
