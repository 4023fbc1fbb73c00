"""Tables of texts against scikit-learn: learning the terms and making the table."""

from functools import partial
from typing import Any

from benchmarks.measure.task import Competitor, Task
from benchmarks.problems import text_data

_MODEL = "benchmarks.peers.text_models.TextModel"


def _task(name: str, about: str, vectorizer: str, **options: Any) -> Task:
    return Task(
        name=name,
        about=f"{about}, 10 000 texts of about 200 words",
        action="fit",
        make_data=partial(text_data.texts, length=200),
        size={"n": 10_000, "d": 50_000},
        quick_size={"n": 50, "d": 500},
        quality=text_data.difference(wanted=1e-12),
        competitors=(
            Competitor("certus", _MODEL, {"path": f"certus.text.{vectorizer}", **options}),
            Competitor("scikit-learn", _MODEL, {"path": f"sklearn.feature_extraction.text.{vectorizer}", **options}),
        ),
    )


TASKS = (
    _task("words", "counts of words", "CountVectorizer"),
    _task("pairs", "counts of words and pairs of words", "CountVectorizer", ngram_range=(1, 2)),
    _task("letters", "counts of three letters inside words", "CountVectorizer", analyzer="char_wb", ngram_range=(3, 3)),
    _task("tf-idf", "words, weighted by rareness", "TfidfVectorizer"),
    _task("hashes", "hashed words", "HashingVectorizer"),
)
