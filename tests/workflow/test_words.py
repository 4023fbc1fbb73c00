"""Columns of texts are offered to the classifiers that count words, which read all words rather than the first few."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.testing import assert_array_equal
from sklearn.base import clone

import certus
from certus.text import TfidfVectorizer
from certus.workflow import study
from certus.workflow.models import WordEncoder
from certus.workflow.race.portfolio import recipes

WORDS = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(600)]


def reviews(rows: int, seed: int = 0) -> pl.DataFrame:
    """Texts in which every word tells a little: half of the vocabulary is rather that of one class."""
    rng = np.random.default_rng(seed)
    good = rng.integers(0, 2, rows)
    weights = np.where((np.arange(600) < 300) == good[:, None], 1.6, 1.0)
    texts = [" ".join(rng.choice(WORDS, 25, p=row / row.sum())) for row in weights]
    return pl.DataFrame(
        {
            "review": [None if row % 50 == 7 else text for row, text in enumerate(texts)],
            "stars": rng.normal(size=rows),
            "shop": np.array(["a", "b", None], dtype=object)[rng.integers(0, 3, rows)].tolist(),
            "good": np.where(good == 1, "yes", "no"),
        }
    )


def test_naive_bayes_wins_where_many_words_tell_a_little(tmp_path: Path) -> None:
    found = study(reviews(500), target="good", families=["bayes", "linear"], trials=8, blend=False, seed=0)
    found.save(tmp_path / "found")
    assert type(found.best.model_[-1]).__name__ in ("MultinomialNB", "ComplementNB")
    assert found.certificates.check()
    new = reviews(300, seed=1)
    assert np.mean(found.best.predict(new) == new["good"].to_numpy()) > 0.7
    model = certus.load(tmp_path / "found" / "model.certus")
    assert_array_equal(model.predict(new), found.best.predict(new))
    assert model.column_kinds == {"review": "text", "stars": "number", "shop": "category"}


def test_every_label_of_several_can_be_told_by_words() -> None:
    frame = reviews(300).with_columns(sunny=pl.when(pl.col("review").str.contains("waa")).then(1).otherwise(0))
    found = study(frame, target=["good", "sunny"], families=["bayes"], trials=6, seed=0)
    titles = {row["learner"].partition("(")[0] for row in found.to_dict()["leaderboard"]}
    assert {"MultinomialNB", "ComplementNB"} <= titles


def test_tables_without_texts_are_not_offered_words() -> None:
    paths = {recipe.path for recipe in recipes("classification")}
    more = {recipe.path for recipe in recipes("classification", texts=True)}
    assert more - paths == {"certus.bayes.MultinomialNB", "certus.bayes.ComplementNB"}


def test_words_and_levels_are_columns_and_numbers_are_not() -> None:
    frame = pl.DataFrame(
        {
            "note": ["red RED car", None, "a blue car"],
            "empty": ["?", None, "a"],
            "size": [1.0, None, -3.0],
            "kind": ["x", "y", "x"],
        }
    )
    encoder = WordEncoder(["size"], ["kind"], [], ["note", "empty"])
    table = encoder.fit_transform(frame)
    words = TfidfVectorizer(sublinear_tf=True).fit_transform(["red RED car", "", "a blue car"])
    assert_array_equal(table.toarray(), np.column_stack([[[1, 0], [0, 1], [1, 0]], words.toarray()]))
    assert (table.data > 0).all()
    assert encoder.get_feature_names_out().tolist()[2:] == ["note: blue", "note: car", "note: red"]
    assert clone(encoder).get_params() == encoder.get_params()
    new = pl.DataFrame({"note": ["green car"], "empty": ["now words"], "size": [None], "kind": ["z"]})
    assert_array_equal(encoder.transform(new).toarray(), [[0, 0, 0, 1, 0]])
