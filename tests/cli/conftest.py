"""Running the command line inside the test process, and the small files it is run on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from typer.testing import CliRunner

import certus
from certus.bayes import GaussianNB
from certus.cli.app import app


class Run:
    """What one call of the command line gave."""

    def __init__(self, *arguments: Any, stdin: str | None = None) -> None:
        typed = [str(argument) for argument in arguments]
        result = CliRunner().invoke(app, typed, prog_name="certus", input=stdin)
        self.code, self.out, self.err = result.exit_code, result.stdout, result.stderr
        assert "Traceback" not in self.out + self.err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at rows are counted in the user's data folder; every test has one of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture(autouse=True)
def width_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are as wide as in a file, whatever terminal the tests are run from."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def run() -> type[Run]:
    return Run


def people(rows: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age, town = rng.integers(18, 80, rows), rng.choice(["1", "2", "x"], rows)
    return pl.DataFrame(
        {"age": age, "town": town, "rich": np.where(age + 10 * rng.normal(size=rows) > 50, "yes", "no")}
    )


@pytest.fixture
def fitted() -> Pipeline:
    """A pipeline with a text column, certified on 120 rows that `holdout` has too."""
    table = people(200, 0)
    columns = ColumnTransformer(
        [("numbers", StandardScaler(), ["age"]), ("names", OneHotEncoder(sparse_output=False), ["town"])]
    )
    model = make_pipeline(columns, GaussianNB()).fit(table.drop("rich"), table["rich"].to_numpy())
    rows = people(120, 1)
    model.report_ = model[-1].report_.with_(certus.certify(model, rows.drop("rich"), rows["rich"].to_numpy()))
    return model


@pytest.fixture
def model(fitted: Pipeline, tmp_path: Path) -> Path:
    certus.save(fitted, tmp_path / "model.certus")
    return tmp_path / "model.certus"


@pytest.fixture
def holdout(tmp_path: Path) -> Path:
    people(120, 1).write_csv(tmp_path / "holdout.csv")
    return tmp_path / "holdout.csv"


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    """600 rows: truth y, predictions a (about 5 % wrong) and b (about 12 %), scores, a number."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    score = 3 * y + rng.normal(size=600)
    share = 1 / (1 + np.exp(1.5 - score))
    table = {
        "y": y,
        "a": np.where(rng.random(600) < 0.05, 1 - y, y),
        "b": np.where(rng.random(600) < 0.12, 1 - y, y),
        "score": score,
        "p_no": 1 - share,
        "p_yes": share,
        "size": y + 0.3 * rng.normal(size=600),
        "label": np.where(y == 1, "yes", "no"),
        "half": rng.choice(["left", "right"], 600),
    }
    pl.DataFrame(table).write_csv(tmp_path / "predictions.csv")
    return tmp_path / "predictions.csv"
