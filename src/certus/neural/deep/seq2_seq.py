"""Sequences of tokens to sequences of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import check_weights, choosing_by_rows, fit_method, predict_method, register, saw_table
from certus.base.inputs import RandomStateLike, WeightsLike
from certus.base.params import Boolean, Exactly, Interval, OneOf
from certus.guarantees import Certificate, Report
from certus.guarantees.holdout import RateSetting, rate_bound
from certus.guarantees.rows import example_digests
from certus.neural.deep.learning.deep_learner import CONSTRAINTS, DeepLearner
from certus.neural.deep.learning.supervised_objective import batches_in_order, held_out_rows
from certus.neural.deep.tokens.translation import FIRST_SOURCE, FIRST_TARGET, Pairs, TranslationObjective
from certus.neural.deep.tokens.vocabulary import distinct_tokens, padded, read_token_lists, token_codes


@register(
    family="neural.deep",
    guarantees=(),
    cost="fit O(tokens * width^2) per epoch, transformers also the squares of lengths; predict one pass per token",
    tasks=("transformation",),
    takes="tokens",
    needs="deep",
    draws_rows=True,
)
class Seq2Seq(DeepLearner):
    """Network that reads a sequence of tokens and writes another one.

    One network reads the source; a second one writes the target token by token, each from the ones before. In training
    it is given the right ones before: what it reads is a start and the target, shifted right, and what it shall say is
    the target and an end, which is in the targets only. `predict` takes the likeliest token again and again until the
    end is the likeliest.

    Parameters
    ----------
    architecture : {"lstm", "transformer"}, default="lstm"
        Two LSTMs, the second of which begins with the last state of the first; or blocks of attention and small
        networks, with the places of tokens added as sines and cosines.
    attention : bool, default=True
        Whether the writing LSTM also looks at all states of the reading one. A transformer always looks.
    width : int, default=64
        Numbers per token and state.
    n_layers : int, default=1
        LSTMs, or blocks, on top of each other; on each side.
    n_heads : int, default=4
        Attentions of a transformer's block; they divide the width.
    dropout : float, default=0.0
        Share of numbers left out while learning.
    max_length : int or None, default=None
        Most tokens of a prediction; None: as many as the longest target of the training had.

    Attributes
    ----------
    source_tokens_, target_tokens_ : list
        The tokens of the training sequences, in the order of first appearance.
    longest_target_ : int
        Tokens of the longest target.

    Examples
    --------
    >>> from certus.neural.deep import Seq2Seq
    >>> words = ["ab", "ba", "abb", "bab", "a", "b", "aab", "bba"] * 8
    >>> model = Seq2Seq(width=32, max_epochs=60, learning_rate=0.01, validation_fraction=0, random_state=0)
    >>> model.fit(words, [word[::-1] for word in words]).predict(["abb", "ba"])
    [['b', 'b', 'a'], ['a', 'b']]
    """

    _constraints: ClassVar[Any] = {
        **CONSTRAINTS,
        "architecture": [OneOf("lstm", "transformer")],
        "attention": [Boolean()],
        "width": [Interval(1, None, integer=True)],
        "n_layers": [Interval(1, None, integer=True)],
        "n_heads": [Interval(1, None, integer=True)],
        "dropout": [Interval(0, 1, closed="left")],
        "max_length": [Exactly(None), Interval(0, None, integer=True)],
    }
    _state: ClassVar[tuple[str, ...]] = (*DeepLearner._state, "source_tokens_", "target_tokens_", "longest_target_")
    _arguments: ClassVar[dict[str, str]] = {
        "": """
sources : list of token lists
    What is read. Tokens are texts, numbers or whatever has a hash; a text in place of a list is its letters.
targets : list of token lists
    What shall be written; they may be empty.
sample_weight : array-like of shape (n_sequences,), default=None
    Weights of the pairs.
"""
    }

    architecture: str
    attention: bool
    width: int
    n_layers: int
    n_heads: int
    dropout: float
    max_length: int | None
    batch_size: int
    validation_fraction: float
    source_tokens_: list[Any]
    target_tokens_: list[Any]
    longest_target_: int

    def __init__(
        self,
        architecture: str = "lstm",
        *,
        attention: bool = True,
        width: int = 64,
        n_layers: int = 1,
        n_heads: int = 4,
        dropout: float = 0.0,
        max_length: int | None = None,
        max_epochs: int = 100,
        batch_size: int = 32,
        optimizer: str = "adamw",
        learning_rate: float = 0.003,
        learning_rate_end: float = 0.0,
        schedule: str = "constant",
        weight_decay: float = 0.0,
        momentum: float = 0.9,
        clip_norm: float | None = 1.0,
        validation_fraction: float = 0.1,
        patience: int | None = None,
        random_state: RandomStateLike = None,
        checkpoint: Any = None,
        resume: bool = False,
        device: str = "auto",
        n_jobs: int | None = 1,
        verbose: bool | int = False,
    ) -> None:
        self._set_parameters(locals())

    # ---- fitting ---------------------------------------------------------------------------------------------------
    @fit_method
    def fit(
        self, sources: Any, targets: Any, sample_weight: WeightsLike = None, *, X_val: Any = None, y_val: Any = None
    ) -> Seq2Seq:
        """Learn to write the targets.

        Parameters
        ----------
        X_val, y_val : lists of token lists, default=None
            Sources and targets to hold out, in place of a share of the training pairs.
        """
        self._check_heads()
        texts, wanted = self._read_pairs(sources, targets, "sources", "targets")
        weights = check_weights(self, sample_weight, np.empty((len(texts), 0)))
        if weights is not None:
            there = np.flatnonzero(weights).tolist()
            texts, wanted, weights = [texts[row] for row in there], [wanted[row] for row in there], weights[there]
        self.source_tokens_, self.target_tokens_ = distinct_tokens(texts), distinct_tokens(wanted)
        self.longest_target_ = max(map(len, wanted))
        pairs = self._pairs(texts, wanted, weights, "sources", "targets")
        # By numbers of tokens: 1, 1.0 and Fraction(1) are one token, and lists of them the same to the network.
        saw_table(self, example_digests(pairs.sources))
        if (X_val is None) != (y_val is None):
            raise ValueError("X_val needs y_val, and y_val needs X_val; got one of them.\nHint: pass both.")
        if X_val is None:
            held = held_out_rows(len(pairs), self.validation_fraction, self._seed())
            learned, judged = pairs.take(np.setdiff1d(np.arange(len(pairs)), held)), pairs.take(held)
        else:
            judged = self._pairs(*self._read_pairs(X_val, y_val, "X_val", "y_val"), None, "X_val", "y_val")
            learned = pairs
            with choosing_by_rows():
                saw_table(self, example_digests(judged.sources))
        self._train(TranslationObjective(learned, judged, self._tensor, self.batch_size))
        return self

    def _check_heads(self) -> None:
        if self.architecture == "transformer" and self.width % self.n_heads:
            raise ValueError(
                f"{type(self).__name__}: width must be a multiple of n_heads, got {self.width} and {self.n_heads}.\n"
                "Hint: every head has width / n_heads numbers."
            )

    def _read_pairs(self, sources: Any, targets: Any, first: str, second: str) -> tuple[list[Any], list[Any]]:
        owner = type(self).__name__
        texts = read_token_lists(sources, owner, first, empty=False)
        wanted = read_token_lists(targets, owner, second, empty=True)
        if len(texts) != len(wanted):
            raise ValueError(
                f"{owner}: {first} and {second} must be equally long, got {len(texts)} and {len(wanted)} sequences.\n"
                "Hint: one target for each source."
            )
        return texts, wanted

    def _pairs(self, texts: Any, wanted: Any, weights: Any, first: str, second: str) -> Pairs:
        owner = type(self).__name__
        sources = token_codes(texts, self.source_tokens_, FIRST_SOURCE, owner, first, "source_tokens_")
        targets = token_codes(wanted, self.target_tokens_, FIRST_TARGET, owner, second, "target_tokens_")
        return Pairs(sources, targets, np.ones(len(texts)) if weights is None else np.asarray(weights, np.float64))

    def _build(self) -> Any:
        from certus.neural.deep.blocks.seq2seq_blocks import RecurrentSeq2Seq, TransformerSeq2Seq

        sources, targets = FIRST_SOURCE + len(self.source_tokens_), FIRST_TARGET + len(self.target_tokens_)
        if self.architecture == "transformer":
            return TransformerSeq2Seq(sources, targets, self.width, self.n_heads, self.n_layers, dropout=self.dropout)
        return RecurrentSeq2Seq(
            sources, targets, self.width, self.n_layers, attention=self.attention, dropout=self.dropout
        )

    # ---- asking ----------------------------------------------------------------------------------------------------
    @predict_method
    def predict(self, sources: Any) -> list[list[Any]]:
        """The target of every source, written greedily.

        Returns
        -------
        list of lists of tokens
        """
        codes = self._source_codes(sources)
        most = self.longest_target_ if self.max_length is None else self.max_length
        found: list[list[Any]] = [[] for _ in codes]
        with self._asking() as module:
            for rows in batches_in_order(len(codes), np.array([len(each) for each in codes])):
                written = module.write(self._tensor(padded([codes[row] for row in rows])), most)
                for row, said in zip(rows, written.cpu().numpy(), strict=True):
                    found[row] = [self.target_tokens_[code - FIRST_TARGET] for code in said[said > 0]]
        return found

    @predict_method
    def log_likelihood(self, sources: Any, targets: Any) -> NDArray[np.float64]:
        """Log-probability of every target and its end, given its source.

        Returns
        -------
        ndarray of shape (n_sequences,)
        """
        pairs = self._pairs(*self._read_pairs(sources, targets, "sources", "targets"), None, "sources", "targets")
        with self._asking() as module:
            return TranslationObjective(pairs, pairs, self._tensor, self.batch_size).log_likelihood(module)

    @predict_method
    def score(self, sources: Any, targets: Any, sample_weight: WeightsLike = None) -> float:
        """Share of the sources whose target is predicted in every token.

        Returns
        -------
        float
        """
        texts, wanted = self._read_pairs(sources, targets, "sources", "targets")
        weights = check_weights(self, sample_weight, np.empty((len(texts), 0)))
        right = [said == tokens for said, tokens in zip(self.predict(texts), wanted, strict=True)]
        return float(np.average(right, weights=weights))

    @predict_method
    def certify(self, X: Any, y: Any, *, loss: Any = "auto", confidence: float = 0.95, **options: Any) -> Report:
        """Bound the share of sources whose target is not predicted in every token.

        Parameters
        ----------
        X, y : lists of token lists
            Sources and targets, independent of training and of every choice made on the way.
        loss : {"auto", "error"}, default="auto"
            There for compatibility.
        confidence : float, default=0.95
            Probability with which the bound holds.
        **options
            ``allow_training_rows=True`` asks for an estimate on sources of training, which are refused otherwise.

        Returns
        -------
        Report
            The certificates of training together with the bound of these sequences.
        """
        allow = options.pop("allow_training_rows", False)
        if loss not in ("auto", "error") or options:
            raise ValueError(
                f"{type(self).__name__}.certify counts wrong sequences, got loss={loss!r} and options "
                f"{sorted(options)}.\nHint: certify(sources, targets)."
            )
        texts, wanted = self._read_pairs(X, y, "sources", "targets")
        setting = RateSetting(confidence=confidence, quantity="error", noun="wrong sequence")

        def judged() -> list[Certificate]:
            wrong = [said != tokens for said, tokens in zip(self.predict(texts), wanted, strict=True)]
            return [rate_bound(sum(wrong), len(wrong), setting)]

        return self._with_new_rows(judged, allow_training_rows=allow)

    def _source_codes(self, sources: Any) -> Sequence[NDArray[np.int64]]:
        owner = type(self).__name__
        texts = read_token_lists(sources, owner, "sources", empty=False)
        codes = token_codes(texts, self.source_tokens_, FIRST_SOURCE, owner, "sources", "source_tokens_")
        saw_table(self, example_digests(codes))
        return codes

    def _restored(self) -> None:
        super()._restored()
        if "longest_target_" in vars(self):
            for name in ("source_tokens_", "target_tokens_"):
                if not isinstance(getattr(self, name), list):
                    raise ValueError(f"{name} is not a list of tokens.")
            if type(self.longest_target_) is not int or self.longest_target_ < 0:
                raise ValueError("longest_target_ is not a length.")
