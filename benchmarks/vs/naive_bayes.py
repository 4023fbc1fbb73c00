"""Naive Bayes of words and categories against scikit-learn."""

from functools import partial

from benchmarks.measure.task import Competitor, Task
from benchmarks.problems import predictions, word_data

_ACCURACY = predictions.accuracy(slack=1e-3)
_WORDS = "benchmarks.peers.word_models.WordModel"
_TABLES = {
    "words": {"n": 10_000, "d": 50_000, "queries": 10_000},
    "many-words": {"n": 100_000, "d": 100_000, "queries": 100_000},
}


def _words(name: str, table: str, action: str) -> Task:
    return Task(
        name=f"{name}-{table}-{action}",
        about=f"{name}, texts of 60 words, 20 classes",
        action=action,
        make_data=partial(word_data.words, length=60, classes=20),
        size=_TABLES[table],
        quick_size={"n": 300, "d": 1_000, "queries": 100},
        quality=_ACCURACY,
        competitors=(
            Competitor("certus", _WORDS, {"path": f"certus.bayes.{name}"}),
            Competitor("scikit-learn", _WORDS, {"path": f"sklearn.naive_bayes.{name}"}),
        ),
    )


TASKS = (
    *(
        _words(name, table, action)
        for name in ("MultinomialNB", "BernoulliNB", "ComplementNB")
        for table in _TABLES
        for action in ("fit", "predict")
    ),
    Task(
        name="categories",
        about="CategoricalNB, 20 columns of 10 categories, five classes",
        action="fit",
        make_data=partial(word_data.categories, values=10, classes=5),
        size={"n": 1_000_000, "d": 20, "queries": 100_000},
        quick_size={"n": 500, "d": 5, "queries": 100},
        quality=_ACCURACY,
        competitors=(
            Competitor("certus", "certus.bayes.CategoricalNB"),
            Competitor("scikit-learn", "sklearn.naive_bayes.CategoricalNB"),
        ),
    ),
)
