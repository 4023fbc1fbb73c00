"""Trees as examples."""

from __future__ import annotations

from typing import Any, ClassVar

from certus.base import fit_method, register, saw_table
from certus.base.inputs import ClassWeightLike, RandomStateLike, WeightsLike
from certus.base.params import Interval
from certus.guarantees.rows import example_digests
from certus.neural.deep.learning.deep_learner import CONSTRAINTS, DeepLearner
from certus.neural.deep.learning.label_outputs import LABEL_CONSTRAINTS, LabelOutputs
from certus.neural.deep.tokens.token_trees import TreeInputs, read_trees
from certus.neural.deep.tokens.vocabulary import distinct_tokens, token_codes


@register(
    family="neural.deep",
    guarantees=(),
    cost="fit nodes * width^2 per epoch, predict the same once",
    takes="tokens",
    needs="deep",
    draws_rows=True,
)
class RecursiveNetworkClassifier(LabelOutputs):
    """Labels of binary trees, by one small network that joins two subtrees into one, from the leaves to the root.

    A tree is a token, or a tuple (or list) of two trees: ``(("not", "good"), "film")``. Every token has a learned
    vector, the same network makes the vector of every inner node from those of its children (Socher et al. 2011), and
    one affine layer scores the classes at the root.

    Parameters
    ----------
    width : int, default=32
        Numbers per node.
    dropout : float, default=0.0
        Share of the root's numbers left out while learning.

    Attributes
    ----------
    tokens_ : list
        The tokens of the training trees, in the order of first appearance.

    Examples
    --------
    >>> from certus.neural.deep import RecursiveNetworkClassifier
    >>> trees = [("good", "film"), (("not", "good"), "film"), ("bad", "film"), (("not", "bad"), "film")] * 10
    >>> model = RecursiveNetworkClassifier(max_epochs=30, validation_fraction=0, random_state=0)
    >>> model.fit(trees, [1, 0, 0, 1] * 10).predict([("not", "good"), "good"])
    array([0, 1])
    """

    _constraints: ClassVar[Any] = {
        **CONSTRAINTS,
        **LABEL_CONSTRAINTS,
        "width": [Interval(1, None, integer=True)],
        "dropout": [Interval(0, 1, closed="left")],
    }
    _state: ClassVar[tuple[str, ...]] = ("classes_", "tokens_", *DeepLearner._state)
    _arguments: ClassVar[dict[str, str]] = {
        "": """
X : list of trees
    Tokens, or tuples of two trees.
"""
    }

    width: int
    dropout: float
    tokens_: list[Any]

    def __init__(
        self,
        width: int = 32,
        *,
        dropout: float = 0.0,
        max_epochs: int = 100,
        batch_size: int = 32,
        optimizer: str = "adamw",
        learning_rate: float = 0.005,
        learning_rate_end: float = 0.0,
        schedule: str = "constant",
        weight_decay: float = 0.0,
        momentum: float = 0.9,
        clip_norm: float | None = 1.0,
        class_weight: ClassWeightLike = None,
        label_smoothing: float = 0.0,
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

    @fit_method
    def fit(
        self, X: Any, y: Any, sample_weight: WeightsLike = None, *, X_val: Any = None, y_val: Any = None
    ) -> RecursiveNetworkClassifier:
        """Learn the labels of trees.

        Parameters
        ----------
        X_val, y_val : list of trees and labels, default=None
            Your own held-out trees, in place of ``validation_fraction``.
        """
        self._fit_labels(X, y, sample_weight, X_val, y_val)
        return self

    def _read_inputs(self, X: Any, *, reset: bool) -> TreeInputs:
        owner = type(self).__name__
        trees = read_trees(X, owner)
        leaves = [tree.tokens for tree in trees]
        if reset:
            self.tokens_ = distinct_tokens(leaves)
        inputs = TreeInputs(trees, token_codes(leaves, self.tokens_, 0, owner, "X", "tokens_"))
        # By numbers of tokens: 1, 1.0 and True are one token, and trees of them the same to the network.
        seen = zip(inputs.codes, trees, strict=True)
        saw_table(self, example_digests([(codes, tree.left, tree.right) for codes, tree in seen]))
        return inputs

    def _build(self) -> Any:
        from certus.neural.deep.blocks.tree_blocks import TreeReader

        return TreeReader(len(self.tokens_), self.width, self._n_outputs(), self.dropout)

    def _restored(self) -> None:
        super()._restored()
        if "tokens_" in vars(self) and not isinstance(self.tokens_, list):
            raise ValueError("tokens_ is not a list of tokens.")
