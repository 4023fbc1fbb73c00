"""Monotone DNF by Winnow over all 2^n products of variables, written out (Kivinen, Warmuth, Auer 1997)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import register
from certus.base.params import Constraints
from certus.base.persistence import check_shapes
from certus.guarantees.ledgers import Ledger, twin
from certus.logic import DNF, Formula, Literal, Term
from certus.online.boolean.covers import minimal_disjunction
from certus.online.evidence.mistake_lines import winnow_line
from certus.online.experts.advice_input import require_values
from certus.online.experts.advice_learner import AdviceLearner

Floats = NDArray[np.float64]
TWIN = "online/subset-winnow"
MOST = 16  # variables: there is a weight for every set of them
SEARCHED = 10  # variables up to which the smallest formula is looked for


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("at most 3 k (n + 1) + 2 mistakes where a monotone DNF of k terms is right",),
    cost="O(2^n) per trial for n variables",
)
class SubsetWinnow(AdviceLearner):
    """Winnow with a weight for every set of at most 16 variables, which is a term that is true if all of them are.

    A row is positive if the weights of its true terms sum to 2^n; on a mistake they are doubled or halved. A monotone
    DNF of k terms is a disjunction of k of the 2^n products, so that there are at most 3 k (n + 1) + 2 mistakes, where
    the kernel perceptron over the same products may need (4 k + 1) 2^n. It has no kernel, and pays with time and memory
    2^n. Double the columns (`certus.logic.doubled`) for terms with negations.

    Attributes
    ----------
    weights_ : ndarray of shape (2^n_experts,)
        Of the sets of variables; bit j of the place stands for variable j.
    mistakes_ : int
        Mistakes so far.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.logic import parse
    >>> from certus.online import SubsetWinnow
    >>> rows, formula = np.random.default_rng(0).integers(0, 2, (500, 6)), parse("x1 & x4 | x2 & x3 & x6")
    >>> model = SubsetWinnow()
    >>> played = model.run(rows, formula(rows))
    >>> ledger = model.audit(rows, formula(rows), formula).ledger_
    >>> print(ledger.mistakes <= ledger.mistake_bound, ledger.mistake_bound)
    True 44.0
    """

    _constraints: ClassVar[Constraints] = {}
    _state: ClassVar[tuple[str, ...]] = ("n_experts_", "trials_", "weights_", "mistakes_", "audited_")

    weights_: Floats
    mistakes_: int
    audited_: dict[str, int]

    def __init__(self) -> None:
        self._set_parameters(locals())

    def _begin(self, experts: int) -> None:
        if experts > MOST:
            raise ValueError(
                f"SubsetWinnow takes at most {MOST} variables, got {experts}: every set of them has a weight.\n"
                "Hint: KernelPerceptron(kernel=AllSubsets()) takes any number."
            )
        self.n_experts_, self.trials_, self.mistakes_ = experts, 0, 0
        self.weights_ = np.ones(2**experts)

    def _check_values(self, advice: Floats, labels: Floats | None, first: int) -> None:
        hint = "Boolean variables are 0 or 1."
        require_values(advice, (0.0, 1.0), 0.0, 1.0, name="advice", first=first, hint=hint)
        if labels is not None:
            require_values(labels, (0.0, 1.0), 0.0, 1.0, name="y", first=first, hint=hint)

    def _predict(self, advice: Floats) -> Floats:
        return np.array([float(self.weights_[_subsets(row)].sum() >= len(self.weights_)) for row in advice])

    def _learn(self, advice: Floats, labels: Floats) -> Floats:
        found = np.zeros(len(labels))
        for trial, (row, label) in enumerate(zip(advice, labels, strict=True)):
            true = _subsets(row)
            weights = self.weights_[true]
            found[trial] = weights.sum() >= len(self.weights_)
            self.trials_ += 1
            if found[trial] != label:
                self.mistakes_ += 1
                self.weights_[true] = weights * (2.0 if label else 0.5)
        return found

    def audit(self, X: ArrayLike, y: ArrayLike, formula: Formula | None = None) -> SubsetWinnow:
        """Bound the mistakes by a monotone DNF that is right on the stream.

        Parameters
        ----------
        X, y : rows and labels
            All trials since the learner was new, in their order.
        formula : Formula, optional
            Of x1, x2, ... without negations; by default the one with the fewest terms, for up to 10 variables.

        Returns
        -------
        self
            Its `ledger_` has the bound from now on.
        """
        rows, labels = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        again = SubsetWinnow()
        again.run(rows, labels)
        if not np.array_equal(again.weights_, self.weights_) or again.trials_ != self.trials_:
            raise ValueError(
                f"these {len(rows)} trials are not the stream that was learned.\n"
                "Hint: give all rows since the learner was new, in their order."
            )
        terms = (self.smallest_dnf(rows, labels) if formula is None else formula).to_dnf()
        if not all(literal.positive for term in terms.terms for literal in term.literals):
            raise ValueError(f"formula must have no negations, got {terms}.\nHint: double the columns.")
        says = np.asarray(terms(rows), dtype=np.float64)
        if (says != labels).any():
            row = int(np.argmax(says != labels))
            raise ValueError(f"row {row}: the formula {terms} is wrong.\nHint: it has to be right on every row.")
        self.audited_ = {"trials": self.trials_, "terms": len(terms.terms)}
        return self

    def smallest_dnf(self, X: ArrayLike, y: ArrayLike) -> DNF:
        """The monotone DNF with the fewest terms that is right on all rows, of at most 10 variables.

        Parameters
        ----------
        X, y : rows and labels
            Zeros and ones.

        Returns
        -------
        DNF
        """
        rows = np.asarray(X, dtype=np.int64)
        if rows.shape[1] > SEARCHED:
            raise ValueError(
                f"the smallest formula is looked for among at most {SEARCHED} variables, got {rows.shape[1]}.\n"
                "Hint: give a formula to audit."
            )
        members = np.arange(2 ** rows.shape[1])
        products = ((rows @ (1 << np.arange(rows.shape[1])))[:, None] & members) == members
        found = minimal_disjunction(products.astype(np.int64), np.asarray(y, dtype=np.int64))
        if found is None:
            raise ValueError("no monotone DNF is right on every row.\nHint: double the columns for negations.")
        bits = [[place for place in range(rows.shape[1]) if member >> place & 1] for member in found.variables]
        return DNF(Term(Literal(f"x{place + 1}") for place in places) for places in bits)

    @property
    def ledger_(self) -> Ledger:
        """Mistakes, and the bound on them after `audit`."""
        if not self._started:
            return Ledger(learner=TWIN, trials=0, loss=0.0, mistakes=0)
        audited = vars(self).get("audited_")
        terms = None if audited is None or audited["trials"] != self.trials_ else audited["terms"]
        return subset_ledger(self.trials_, self.n_experts_, self.mistakes_, terms)

    def _restored(self) -> None:
        if not self._started:
            return
        check_shapes(self, weights_=(2**self.n_experts_,))
        if self.weights_.dtype != np.float64 or not (self.weights_ >= 0.0).all():
            raise ValueError("weights_ must be at least 0.")
        if not 0 <= self.mistakes_ <= self.trials_:
            raise ValueError("mistakes_ must be at most trials_.")
        self.weights_ = self.weights_.copy()


def _subsets(row: Floats) -> NDArray[np.int64]:
    """The places of all sets of the variables that are true."""
    found = np.zeros(1, dtype=np.int64)
    for place in np.flatnonzero(row).tolist():
        found = np.concatenate([found, found | (1 << place)])
    return found


def subset_ledger(trials: int, variables: int, mistakes: int, terms: int | None) -> Ledger:
    """The account, with the bound for so many terms."""
    lines = () if terms is None else (winnow_line(float(mistakes), 2**variables, terms),)
    settings = {} if terms is None else {"terms": terms}
    return Ledger(learner=TWIN, settings=settings, trials=trials, loss=float(mistakes), mistakes=mistakes, lines=lines)


@twin(TWIN)
def _replay(settings: Any, data: Any) -> Ledger:
    """The account with a weight per set of variables, written out."""
    rows, labels = data
    weights: dict[int, float] = {}
    mistakes, count = 0, 2 ** len(rows[0])
    for row, label in zip(rows, labels, strict=True):
        mask = sum(1 << place for place, value in enumerate(row) if value)
        true = [member for member in range(count) if member & mask == member]
        said = sum(weights.get(member, 1.0) for member in true) >= count
        if said != bool(label):
            mistakes += 1
            for member in true:
                weights[member] = weights.get(member, 1.0) * (2.0 if label else 0.5)
    return subset_ledger(len(rows), len(rows[0]), mistakes, settings.get("terms"))
