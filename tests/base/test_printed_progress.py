"""``verbose`` prints a table of the iterations, and nothing is printed without it."""

from typing import Any

import pytest
from sklearn.datasets import load_iris

from certus.base.printed_progress import PrintedProgress
from certus.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from certus.linear import LogisticRegression, SGDClassifier
from certus.svm import SVC

X, Y = load_iris(return_X_y=True)


def numbers(text: str) -> list[int]:
    return [int(line.split()[0]) for line in text.splitlines()[1:]]


def test_lines_become_rarer_at_level_one(capsys: pytest.CaptureFixture[str]) -> None:
    table = PrintedProgress(1, None, {})
    for _ in range(250):
        table.tell({"gap": 0.5})
    assert numbers(capsys.readouterr().out) == [*range(1, 11), *range(20, 101, 10), 200]


def test_level_two_prints_all_lines_and_continues_the_count(capsys: pytest.CaptureFixture[str]) -> None:
    table = PrintedProgress(2, 35, {"gap": "Distance to the optimum"}, begun=20)
    for _ in range(15):
        table.tell({"gap": 1e-3})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["Iter", "Distance", "to", "the", "optimum", "Remaining", "Time"]
    assert numbers("\n".join(lines)) == list(range(21, 36))
    assert len({len(line) for line in lines}) == 1
    assert lines[-1].split()[1:] == ["0.001", "0.00s"]


@pytest.mark.parametrize(
    "learner",
    [
        GradientBoostingClassifier(n_estimators=3),
        HistGradientBoostingClassifier(max_iter=3),
        LogisticRegression(),
        RandomForestClassifier(n_estimators=3),
        SGDClassifier(),
        SVC(),
    ],
)
def test_learners_print_only_if_asked(learner: Any, capsys: pytest.CaptureFixture[str]) -> None:
    quiet = learner.set_params(random_state=0).fit(X, Y).predict(X)
    assert capsys.readouterr().out == ""
    talking = learner.set_params(verbose=1).fit(X, Y).predict(X)
    text = capsys.readouterr().out
    assert text.splitlines()[0].split()[0] == "Iter"
    assert numbers(text)[0] == 1
    assert (quiet == talking).all()
