"""The trainer: what it keeps, what it leaves alone, and how it goes on where it was stopped."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits

torch = pytest.importorskip("torch")

import certus
from certus.base.callbacks import Callback, History
from certus.neural.deep import ConvNetClassifier, SequenceClassifier, TorchClassifier, TorchRegressor
from certus.neural.deep.training.batch_order import batches_of_epoch
from certus.neural.deep.training.training_options import TrainingOptions

X, Y = (part[:400] for part in load_digits(return_X_y=True))
X = X / 16


def network() -> Any:
    return torch.nn.Sequential(
        torch.nn.Linear(64, 16),
        torch.nn.BatchNorm1d(16),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.3),
        torch.nn.Linear(16, 10),
    )


def same_training(one: Any, other: Any) -> None:
    assert list(one.weights_) == list(other.weights_)
    for name, weights in one.weights_.items():
        assert_array_equal(weights, other.weights_[name])
    assert one.loss_curve_ == other.loss_curve_
    assert one.validation_scores_ == other.validation_scores_
    assert (one.n_iter_, one.best_iter_) == (other.n_iter_, other.best_iter_)


class Stop(Callback):
    """Ends a training after some epochs; by Ctrl-C, or as a callback may."""

    def __init__(self, epochs: int, *, press: bool) -> None:
        self.epochs, self.press = epochs, press

    def on_fit_task_end(self, estimator: Any, context: Any, *, metadata: Any = None) -> bool:
        if context.parent is None:
            return False
        self.epochs -= 1
        if self.epochs == 0 and self.press:
            os.kill(os.getpid(), signal.SIGINT)
        return self.epochs == 0


@pytest.mark.parametrize(
    "options",
    [{}, {"optimizer": "sgd", "schedule": "cosine"}, {"patience": 3, "learning_rate": 0.1, "max_epochs": 40}],
    ids=["adamw", "sgd, cosine", "patience"],
)
@pytest.mark.parametrize("press", [False, True], ids=["callback", "ctrl-c"])
def test_a_resumed_training_equals_an_uninterrupted_one(options: dict[str, Any], press: bool, tmp_path: Path) -> None:
    learner = TorchClassifier(network(), random_state=3, **{"max_epochs": 6, **options})
    whole = clone(learner).fit(X, Y)
    stopped = clone(learner).set_params(checkpoint=tmp_path / "run").set_callbacks(Stop(2, press=press))
    if press:
        with pytest.raises(KeyboardInterrupt):
            stopped.fit(X, Y)
    else:
        stopped.fit(X, Y)
    assert stopped.n_iter_ == 2
    resumed = clone(learner).set_params(checkpoint=str(tmp_path / "run"), resume=True).fit(X, Y)
    same_training(resumed, whole)
    again = clone(resumed).fit(X, Y)  # nothing is left to do
    same_training(again, whole)


def test_a_training_without_a_seed_is_resumed_with_the_seed_that_it_drew(tmp_path: Path) -> None:
    learner = TorchClassifier(network(), max_epochs=2, checkpoint=tmp_path)
    first = clone(learner).fit(X, Y)
    longer = clone(learner).set_params(max_epochs=3, resume=True).fit(X, Y)
    assert longer.loss_curve_[:2] == first.loss_curve_
    assert longer.n_iter_ == 3


def test_a_checkpoint_of_another_training_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    learner = TorchClassifier(network(), max_epochs=1, checkpoint=tmp_path, resume=True, random_state=0).fit(X, Y)
    for changed in ({"weight_decay": 0.5}, {"random_state": 1}, {"label_smoothing": 0.1}):
        with pytest.raises(ValueError, match=r"other parameters or data.\nHint"):
            clone(learner).set_params(**changed).fit(X, Y)
    with pytest.raises(ValueError, match=r"other parameters or data.\nHint"):
        clone(learner).fit(X[::-1], Y)
    file = tmp_path / "training.certus"
    content = file.read_bytes()
    for damaged in (content[: len(content) // 2], b"", content[:3000] + b"x" + content[3001:]):
        file.write_bytes(damaged)
        with pytest.raises(certus.CertusFileError, match=r"the checkpoint cannot be read.*\nHint: delete it"):
            clone(learner).fit(X, Y)
    certus.save(learner, file)
    with pytest.raises(certus.CertusFileError, match="a TorchClassifier, not a checkpoint"):
        clone(learner).fit(X, Y)
    clone(learner).set_params(resume=False).fit(X, Y)  # begins anew
    assert len(list(tmp_path.iterdir())) == 1  # nothing temporary stays behind


def test_ctrl_c_keeps_the_best_finished_epoch_and_before_the_first_one_nothing() -> None:
    learner = TorchClassifier(network(), max_epochs=50, random_state=0)
    stopped = clone(learner).set_callbacks(Stop(3, press=True))
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(X, Y)
    same_training(stopped, clone(learner).set_params(max_epochs=3).fit(X, Y))
    assert stopped.score(X, Y) > 0.1
    assert isinstance(stopped.report_, certus.Report)

    class Pressed(torch.nn.Linear):
        def forward(self, given: Any) -> Any:
            os.kill(os.getpid(), signal.SIGINT)
            return super().forward(given)

    early = TorchClassifier(Pressed(64, 10), random_state=0)
    with pytest.raises(KeyboardInterrupt):
        early.fit(X, Y)
    assert not [name for name in vars(early) if name.endswith("_")]
    with pytest.raises(KeyboardInterrupt):  # an earlier fit is not mistaken for this one
        stopped.set_callbacks().set_params(module=Pressed(64, 10)).fit(X, Y)
    assert not [name for name in vars(stopped) if name.endswith("_")]


def test_the_best_epoch_is_kept_and_patience_ends_the_training() -> None:
    learner = TorchClassifier(network(), learning_rate=0.1, max_epochs=60, patience=4, random_state=0).fit(X, Y)
    scores = learner.validation_scores_
    assert learner.best_iter_ == int(np.argmax(scores)) + 1 == learner.n_iter_ - 4
    exact = clone(learner).set_params(max_epochs=learner.best_iter_).fit(X, Y)
    for name, weights in exact.weights_.items():
        assert_array_equal(weights, learner.weights_[name])
    alone = clone(learner).set_params(validation_fraction=0.0, max_epochs=5).fit(X, Y)
    assert (alone.best_iter_, alone.validation_scores_) == (5, [])


def test_own_validation_examples_are_judged_by() -> None:
    learner = TorchClassifier(torch.nn.Linear(64, 10), max_epochs=3, random_state=0)
    learner.fit(X[:300], Y[:300], X_val=X[300:], y_val=Y[300:])
    chosen = learner.predict_proba(X[300:])[np.arange(100), Y[300:]]
    assert np.isclose(np.log(chosen).mean(), max(learner.validation_scores_), rtol=1e-5)
    with pytest.raises(certus.TrainingRowsError):  # they chose the epoch
        learner.certify(X[300:], Y[300:])
    with pytest.raises(ValueError, match="X_val needs y_val"):
        learner.fit(X, Y, X_val=X)
    with pytest.raises(ValueError, match=r"y_val holds the labels \[77\]"):
        learner.fit(X, Y, X_val=X[:1], y_val=[77])


def test_held_out_examples_have_every_class_in_proportion() -> None:
    from certus.neural.deep.learning.supervised_objective import held_out_rows

    codes = np.repeat([0, 1, 2], [100, 40, 9])
    held = held_out_rows(149, 0.1, 5, codes)
    assert np.bincount(codes[held]).tolist() == [10, 4]
    assert len(held_out_rows(9, 0.1, 5)) == 0
    assert len(set(held_out_rows(57, 0.1, 5).tolist())) == 5


def test_generators_and_threads_of_the_program_are_left_alone() -> None:
    learners = (
        (TorchClassifier(network(), max_epochs=2, n_jobs=3, random_state=0), X),
        (ConvNetClassifier((4,), max_epochs=1, random_state=0), X.reshape(-1, 8, 8)),
        (
            SequenceClassifier("gru", layers=2, dropout=0.2, max_epochs=1, hidden_units=4, random_state=0),
            list(X.reshape(-1, 8, 8)),
        ),
    )
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002
    states = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    threads = torch.get_num_threads()
    for learner, inputs in learners:
        learner.fit(inputs, Y).predict(inputs)
        assert_array_equal(torch.get_rng_state(), states[0])
        assert_array_equal(np.random.get_state()[1], states[1])  # noqa: NPY002
        assert torch.get_num_threads() == threads


def test_a_seed_decides_everything_whatever_happened_before() -> None:
    learner = ConvNetClassifier((4,), hidden_units=8, max_epochs=2, random_state=4)
    images = X.reshape(-1, 8, 8)
    first = clone(learner).fit(images, Y)
    torch.manual_seed(99)
    torch.rand(7)
    same_training(clone(learner).fit(images, Y), first)
    other = clone(learner).set_params(random_state=5).fit(images, Y)
    assert other.loss_curve_ != first.loss_curve_


@pytest.mark.parametrize(
    ("learner", "word"),
    [
        (
            TorchRegressor(torch.nn.Linear(64, 1), optimizer="sgd", learning_rate=1e30, random_state=0),
            "the loss became",
        ),
        (TorchClassifier(torch.nn.Linear(64, 10), optimizer="sgd", learning_rate=3e38, random_state=0), "loss"),
    ],
)
def test_a_loss_that_is_no_number_ends_with_a_hint(learner: Any, word: str) -> None:
    with pytest.raises(ValueError, match=rf"{word}.* in epoch \d+\.\nHint: scale the inputs, lower learning_rate"):
        learner.fit(X, Y)


def test_step_sizes() -> None:
    learner = TorchClassifier(learning_rate=0.1, learning_rate_end=0.001, schedule="linear")
    linear = TrainingOptions.of(learner)
    assert [round(linear.rate(t, 100), 5) for t in (0, 25, 50, 100)] == [0.1, 0.07525, 0.0505, 0.001]
    cosine = TrainingOptions.of(learner.set_params(schedule="cosine"))
    assert np.allclose([cosine.rate(t, 100) for t in (0, 50, 100)], [0.1, 0.0505, 0.001])
    constant = TrainingOptions.of(learner.set_params(schedule="constant"))
    assert constant.rate(77, 100) == 0.1


def test_steps_follow_clipped_gradients() -> None:
    """One step of plain descent over all rows: the weights move by the rate times a gradient of the given length."""
    start = torch.nn.Linear(64, 10)
    before = {name: value.detach().numpy().copy() for name, value in start.named_parameters()}
    for clip, length in ((0.01, 0.01), (1e9, None)):
        learner = TorchClassifier(
            start, optimizer="sgd", momentum=0.0, weight_decay=0.0, learning_rate=0.5, clip_norm=clip, max_epochs=1,
            batch_size=400, validation_fraction=0.0,
        ).fit(X, Y)  # fmt: skip
        moved = np.concatenate([(before[name] - learner.weights_[name]).ravel() for name in before]) / 0.5
        if length is not None:
            assert np.isclose(np.linalg.norm(moved), length, rtol=1e-3)
        logits = X @ before["weight"].T + before["bias"]
        probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        gradient = ((probabilities - np.eye(10)[Y])[:, :, None] * X[:, None, :]).mean(axis=0)
        found = moved[: gradient.size].reshape(gradient.shape)
        scale = (
            1.0
            if length is None
            else length / np.linalg.norm([*gradient.ravel(), *(probabilities - np.eye(10)[Y]).mean(0)])
        )
        np.testing.assert_allclose(found, scale * gradient, atol=1e-5)


def test_batches_hold_every_example_once_and_lengths_that_are_alike() -> None:
    lengths = np.random.default_rng(0).integers(1, 200, 3000)
    plain = batches_of_epoch(3000, 32, seed=1, epoch=1)
    bucketed = batches_of_epoch(3000, 32, seed=1, epoch=1, lengths=lengths)
    for batches in (plain, bucketed):
        assert sorted(np.concatenate(batches).tolist()) == list(range(3000))
    padding = [sum((lengths[rows].max() - lengths[rows]).sum() for rows in batches) for batches in (plain, bucketed)]
    assert padding[1] < padding[0] / 10
    assert not np.array_equal(bucketed[0], batches_of_epoch(3000, 32, seed=1, epoch=2, lengths=lengths)[0])
    first = [lengths[rows].mean() for rows in bucketed[:20]]
    assert sorted(first) != first  # short ones do not come first
    assert [len(rows) for rows in batches_of_epoch(65, 32, seed=1, epoch=1)] == [32, 33]  # no batch of one


def test_callbacks_see_every_epoch() -> None:
    history = History()
    learner = TorchClassifier(torch.nn.Linear(64, 10), max_epochs=3, random_state=0).set_callbacks(history).fit(X, Y)
    assert [row["loss"] for row in history.rows] == learner.loss_curve_
    assert [row["score"] for row in history.rows] == learner.validation_scores_


def test_devices_that_are_not_there() -> None:
    for device in ("cuda:77", "abacus"):
        with pytest.raises(ValueError, match="device must be 'auto', 'cpu' or an accelerator"):
            TorchClassifier(torch.nn.Linear(64, 10), device=device).fit(X, Y)
