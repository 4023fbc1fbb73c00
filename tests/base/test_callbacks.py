from __future__ import annotations

import pytest
from sklearn.callback import FitCallback

from certus.base import Regressor, fit_method
from certus.base.callbacks import EarlyStopping, History, Iterations, Progress


class Countdown(Regressor):
    """Halves a gap until it is told to stop."""

    @fit_method
    def fit(self, X=None, y=None):
        self.gap_ = 1.0
        with Iterations(self, 20, X, y) as iterations:
            for self.n_iter_ in range(1, 21):
                self.gap_ /= 2
                if iterations.step({"gap_": self.gap_}, gap=self.gap_):
                    break
        return self


class Told(Regressor):
    """Tells the given values, one per iteration, until it is told to stop."""

    def __init__(self, values=()):
        self.values = values

    @fit_method
    def fit(self, X=None, y=None):
        with Iterations(self, len(self.values), X, y) as iterations:
            for self.n_iter_, value in enumerate(self.values, start=1):
                if iterations.step({}, loss=value):
                    break
        return self


def test_our_callbacks_follow_scikit_learns_protocol() -> None:
    assert all(isinstance(callback, FitCallback) for callback in (History(), EarlyStopping("gap"), Progress()))


def test_history_and_early_stopping() -> None:
    history = History()
    model = Countdown().set_callbacks(history, EarlyStopping("gap", below=0.01)).fit()
    assert model.n_iter_ == 7
    assert [row["gap"] for row in history.rows] == [2.0**-k for k in range(1, 8)]


def test_patience_counts_iterations_without_a_new_lowest_value() -> None:
    stopping = EarlyStopping("gap", patience=3)
    assert Countdown().set_callbacks(stopping).fit().n_iter_ == 20
    assert Countdown().set_callbacks(stopping).fit().n_iter_ == 20


@pytest.mark.parametrize(("patience", "last"), [(1, 3), (2, 4), (3, 9), (4, 10)])
def test_patience_stops_and_starts_anew_at_every_new_lowest_value(patience: int, last: int) -> None:
    values = (3.0, 2.0, 2.5, 2.0, 1.9, 1.0, 1.0, 1.5, 1.0, 1.2, 1.1)  # lowest so far at 1, 2, 5 and 6
    stopping = EarlyStopping("loss", patience=patience)
    for _ in range(2):  # a second fit counts from the beginning
        assert Told(values).set_callbacks(stopping).fit().n_iter_ == last


def test_watching_what_is_not_told_names_what_is() -> None:
    with pytest.raises(ValueError, match=r"watches 'loss', but Countdown tells \['gap'\]"):
        Countdown().set_callbacks(EarlyStopping("loss", below=0)).fit()


def test_progress_writes_to_the_error_stream_only(capsys: pytest.CaptureFixture[str]) -> None:
    Countdown().set_callbacks(Progress()).fit()
    out, err = capsys.readouterr()
    assert out == ""
    assert "Countdown" in err


def test_without_callbacks_nothing_is_set_up() -> None:
    assert Countdown().fit().n_iter_ == 20
