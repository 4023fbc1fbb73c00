"""Sequences of tokens to sequences of tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import certus
from certus.base import catalogue
from certus.neural.deep import Seq2Seq
from certus.neural.deep.tokens.translation import MARK, Pairs, TranslationObjective, shifted_right


def words(count: int, seed: int, longest: int = 5) -> list[str]:
    random = np.random.default_rng(seed)
    return ["".join(random.choice(list("abcd"), random.integers(1, longest + 1))) for _ in range(count)]


def small(**parameters: Any) -> Seq2Seq:
    given = {"width": 16, "max_epochs": 3, "random_state": 0, "learning_rate": 0.01, **parameters}
    return Seq2Seq(**given)


KINDS = [{}, {"attention": False}, {"architecture": "transformer"}]
NAMES = ["attention", "lstm", "transformer"]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=NAMES)


LEARNING = {
    "attention": (KINDS[0], {"max_epochs": 30}),
    "lstm": (KINDS[1], {"max_epochs": 30}),
    "transformer": (KINDS[2], {"max_epochs": 30, "learning_rate": 0.005}),
}


@pytest.mark.parametrize("kind", LEARNING)
@pytest.mark.parametrize("task", ["copy", "reversal"])
def test_short_strings_are_learned(kind: str, task: str) -> None:
    """Strings that were not in the training are written right in all letters: by chance one of 4 to 1024 is."""
    sources, step = words(800, 1), 1 if task == "copy" else -1
    unseen = sorted(set(words(300, 2)) - set(sources))
    architecture, parameters = LEARNING[kind]
    model = small(width=32, schedule="cosine", **architecture, **parameters)
    model.fit(sources, [word[::step] for word in sources])
    assert len(unseen) > 50
    assert min(map(len, unseen)) > 2
    assert model.score(unseen, [word[::step] for word in unseen]) > 0.8


def test_what_is_read_is_shifted_right_and_the_end_is_in_the_targets_only() -> None:
    targets = [np.array([5, 6, 7]), np.array([8]), np.empty(0, np.int64)]
    reads, says = shifted_right(targets)
    assert reads.tolist() == [[MARK, 5, 6, 7], [MARK, 8, 0, 0], [MARK, 0, 0, 0]]
    assert says.tolist() == [[5, 6, 7, MARK], [8, MARK, 0, 0], [MARK, 0, 0, 0]]
    # Nothing that is read is behind the mark of its first place, and every row of targets has one mark, at its end.
    assert not (reads[:, 1:] == MARK).any()
    assert ((says == MARK).sum(axis=1) == 1).all()


@every_kind
def test_the_likelihood_is_that_of_the_symbols_one_after_the_other(kind: dict[str, Any]) -> None:
    sources = words(40, 1)
    model = small(**kind).fit(sources, sources)
    found = model.log_likelihood(sources[:5], sources[:5])
    codes = {token: code for code, token in enumerate(model.source_tokens_, start=1)}
    with model._asking() as module:
        for word, value in zip(sources[:5], found, strict=True):
            said, total = [MARK], 0.0
            for symbol in [*(model.target_tokens_.index(token) + 2 for token in word), MARK]:
                scores = module(torch.tensor([[codes[token] for token in word]]), torch.tensor([said]))[0, -1, 1:]
                total += float(scores.double().log_softmax(-1)[symbol - 1])
                said.append(symbol)
            assert value == pytest.approx(total, abs=1e-4)


def test_probabilities_of_all_targets_add_up_to_one() -> None:
    model = small().fit(["a", "b"] * 5, ["x", ""] * 5)  # targets of the one letter x: "", "x", "xx", ...
    total = np.exp(model.log_likelihood(["a"] * 60, ["x" * length for length in range(60)])).sum()
    assert total == pytest.approx(1.0, abs=1e-3)


@every_kind
def test_saved_models_write_the_same(kind: dict[str, Any], tmp_path: Path) -> None:
    sources = [[1, "b", None, (2, "c")], [1.5, True], [b"x".decode(), -3]] * 4
    model = small(**kind, validation_fraction=0.0).fit(sources, sources)
    certus.save(model, tmp_path / "model.certus")
    loaded = certus.load(tmp_path / "model.certus")
    assert loaded.predict(sources) == model.predict(sources)
    assert loaded.source_tokens_ == model.source_tokens_
    np.testing.assert_array_equal(loaded.log_likelihood(sources, sources), model.log_likelihood(sources, sources))


@every_kind
def test_a_resumed_training_is_the_uninterrupted_one(kind: dict[str, Any], tmp_path: Path) -> None:
    sources, parameters = words(50, 1), {**kind, "dropout": 0.1, "n_layers": 2}
    whole = small(max_epochs=4, **parameters).fit(sources, sources)
    small(max_epochs=2, checkpoint=tmp_path, **parameters).fit(sources, sources)
    resumed = small(max_epochs=4, checkpoint=tmp_path, resume=True, **parameters).fit(sources, sources)
    assert resumed.loss_curve_ == whole.loss_curve_
    for name, weights in whole.weights_.items():
        np.testing.assert_array_equal(resumed.weights_[name], weights)


def test_equal_seeds_give_equal_bits_and_leave_the_generators_alone() -> None:
    sources = words(50, 1)
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002
    expected = torch.rand(1), np.random.rand(1)  # noqa: NPY002
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002
    models = [small(dropout=0.2, random_state=seed).fit(sources, sources) for seed in (0, 0, 1)]
    assert torch.rand(1) == expected[0]
    assert np.random.rand(1) == expected[1]  # noqa: NPY002
    assert models[0].loss_curve_ == models[1].loss_curve_ != models[2].loss_curve_


def test_weights_count() -> None:
    """A pair of weight 0 does not count; the loss of one of weight 2 is that of two."""
    pairs = Pairs([np.array([1, 2]), np.array([2])], [np.array([2]), np.array([3, 3])], np.array([2.0, 0.0]))
    objective = TranslationObjective(pairs, pairs.take(np.empty(0, int)), torch.as_tensor, 8)
    model = small().fit(["ab", "b"] * 3, ["x", "yy"] * 3)
    with model._asking() as module:
        total, symbols = objective.loss(module, objective.batch(np.arange(2)), "loss")
        alone = TranslationObjective(pairs.take(np.array([0, 0])), pairs.take(np.empty(0, int)), torch.as_tensor, 8)
        doubled, _ = alone.loss(module, alone.batch(np.arange(2)), "loss")
    assert symbols == 4.0
    assert float(total) == pytest.approx(float(doubled) / 2)  # each of the two weighs 2


def test_pairs_of_weight_zero_are_not_there() -> None:
    sources, weights = words(40, 1), np.r_[np.ones(30), np.zeros(10)]
    model = small().fit(sources, [*sources[:30], *["zzzzzzzz"] * 10], sample_weight=weights)
    other = small().fit(sources[:30], sources[:30], sample_weight=weights[:30])
    assert model.target_tokens_ == other.target_tokens_
    assert model.longest_target_ == other.longest_target_
    assert model.loss_curve_ == other.loss_curve_


def test_own_validation_pairs_choose_the_epoch() -> None:
    sources, others = words(60, 1), words(30, 2)
    model = small(max_epochs=6).fit(sources, sources, X_val=others, y_val=others)
    assert len(model.validation_scores_) == 6
    assert model.best_iter_ == 1 + int(np.argmax(model.validation_scores_))
    symbols = sum(len(word) + 1 for word in others)
    assert max(model.validation_scores_) == pytest.approx(model.log_likelihood(others, others).sum() / symbols)


@pytest.mark.parametrize("cut", [0, 1, 3])
def test_predictions_are_no_longer_than_asked(cut: int) -> None:
    sources = words(30, 1)
    model = small(max_length=cut).fit(sources, sources)
    assert max(map(len, model.predict(sources))) <= cut


def test_predictions_do_not_depend_on_the_other_sources() -> None:
    sources = words(80, 1)
    for kind in KINDS:
        model = small(**kind).fit(sources, sources)
        assert model.predict(sources) == [model.predict([source])[0] for source in sources]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["ab", []], ["a", "b"]), r"sources\[1\] must have at least one token, got an empty sequence"),
        ((["ab"], ["a", "b"]), "sources and targets must be equally long, got 1 and 2 sequences"),
        (("ab", "ab"), "sources must be a list of token lists, got str"),
        (([], []), "sources must have at least one sequence, got none"),
        (([3], ["a"]), r"sources\[0\] must be a list of tokens, got 3"),
        (([[["a"]]], ["a"]), r"sources\[0\]\[0\] must be hashable, got a list"),
        ((["a"], [[float("nan")]]), r"targets\[0\]\[0\] must be equal to itself, got nan"),
        ((None, ["a"]), "sources must be a list of token lists, got NoneType"),
    ],
)
def test_errors(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=f"Seq2Seq: {message}") as error:
        small().fit(*arguments)
    assert "\nHint: " in str(error.value)


def test_unseen_tokens_are_named() -> None:
    model = small().fit(["ab", "ba"], ["xy", "yx"])
    with pytest.raises(ValueError, match=r"Seq2Seq: sources\[1\]\[2\] must be a token of the training .* got 'c'"):
        model.predict(["ab", "abc"])
    with pytest.raises(ValueError, match=r"targets\[0\]\[0\] .* got 'z'"):
        model.log_likelihood(["ab"], ["z"])
    with pytest.raises(ValueError, match=r"X_val\[0\]\[0\] .* got 'q'"):
        small().fit(["ab"], ["ab"], X_val=["q"], y_val=["a"])


def test_held_out_sequences_certify_and_those_of_training_are_refused() -> None:
    sources, others = words(100, 1), words(60, 2, longest=9)
    others = [word for word in others if word not in set(sources)]
    model = small(max_epochs=5).fit(sources, sources)
    report = model.certify(others, others)
    assert report["error"].kind == "probable"
    assert report["error"].value >= 1.0 - model.score(others, others)
    assert report["error"].check()
    with pytest.raises(certus.TrainingRowsError):
        model.certify(sources, sources)
    with pytest.raises(certus.TrainingRowsError):
        small(max_epochs=1).fit(sources, sources, X_val=others, y_val=others).certify(others, others)
    allowed = model.certify(sources, sources, allow_training_rows=True)
    assert {item.kind for item in allowed} == {"estimate"}
    with pytest.raises(ValueError, match="one entry per row, got a list of lists of several lengths"):
        certus.certify(model, others, [list(word) for word in others])
    with pytest.raises(ValueError, match="got loss='absolute' and options"):
        model.certify(others, others, loss="absolute")


def test_heads_divide_the_width() -> None:
    with pytest.raises(ValueError, match="width must be a multiple of n_heads, got 16 and 3"):
        small(architecture="transformer", n_heads=3).fit(["a"], ["a"])


def test_it_is_in_the_catalogue() -> None:
    entry = next(entry for entry in catalogue.entries() if entry.name == "Seq2Seq")
    assert (entry.needs, entry.takes) == ("deep", "tokens")
