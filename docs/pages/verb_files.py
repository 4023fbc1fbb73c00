"""The small files of the pages in docs/verbs: python -m docs.pages.verb_files FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

import certus
from certus.linear import LogisticRegression


def customers(rows: int, seed: int) -> pl.DataFrame:
    """Customers who leave or stay; who calls often and has been there for a short time rather leaves."""
    rng = np.random.default_rng(seed)
    calls, years = rng.poisson(3.0, rows), np.round(rng.gamma(2.0, 2.0, rows), 1)
    leaves = calls - years + rng.normal(size=rows) > 0.5
    left, customer = np.where(leaves, "yes", "no"), np.arange(rows) + 1000 * seed
    return pl.DataFrame({"customer": customer, "calls": calls, "years": years, "left": left})


def write_files(folder: Path) -> None:
    """A model and its held-out rows, new rows, and predictions of two models."""
    folder.mkdir(parents=True, exist_ok=True)
    learn, held_out = customers(400, 1), customers(500, 2)
    model = LogisticRegression().fit(learn.select("calls", "years"), learn["left"].to_numpy())
    certus.save(model, folder / "model.certus")
    held_out.write_csv(folder / "held_out.csv")
    customers(5, 3).drop("left").write_csv(folder / "new.csv")
    score = model.predict_proba(held_out.select("calls", "years"))[:, 1]
    bold = np.where(held_out["calls"].to_numpy() > 3, "yes", "no")
    shown = held_out.select("customer", "left").with_columns(
        pl.Series("a", np.where(score > 0.5, "yes", "no")), pl.Series("b", bold), pl.Series("score", score.round(4))
    )
    shown.write_csv(folder / "predictions.csv")
    rng = np.random.default_rng(4)
    spent = np.round(rng.gamma(3.0, 20.0, 300), 1)
    guessed = pl.DataFrame({"spent": spent, "guess": np.round(spent + rng.normal(scale=8.0, size=300), 1)})
    guessed.write_csv(folder / "spending.csv")


if __name__ == "__main__":
    write_files(Path(sys.argv[1]))
