"""The vocabulary of assumptions: every certificate names what it rests on with these tokens only."""

from collections.abc import Iterable

ASSUMPTIONS: dict[str, str] = {
    "iid": "the rows are independent draws from the one distribution that the claim is about",
    "known-labels": "the label of every new row is one of the known classes",
    "random-folds": "the folds were drawn without looking at the rows",
    "symmetric-learner": "the learner ignores the order of the rows, up to its own randomness",
    "exchangeable": "every order of the calibration rows and the new row is equally likely",
    "independent-holdout": "the rows were used neither for training nor for any choice about the model",
    "copies-count-once": "equal rows are copies of one observation, and count as one",
    "future-like-test-period": "rows to come behave like those of the test period",
    "fixed-sample-size": "the number of rows was decided before looking at the results",
    "fixed-order": "the order of the rows was fixed, or drawn from the recorded seed, before seeing losses",
    "bounded-range": "every loss lies in the declared range, which was not read off these losses",
    "known-variance": "the declared variance is at least the true one",
    "uses-counted": "every earlier use of these rows was recorded, and is paid for here",
    "candidates-counted": "every candidate that was scored on these rows is in the count",
    "candidates-fixed": "the candidates did not depend on these rows, other than by results that are paid for",
    "not-adapted-to-these-rows": "nothing about the model was chosen after an earlier result on these rows",
    "sealed-looks": "earlier looks at these rows showed nothing but bounds, and all that they could show is paid for",
    "paired-rows": "both models were scored on the same rows",
    "class-counts-given": "the claim is about rows drawn within the class, given how many rows it has",
    "constant-mean": "the conditional mean of the loss does not change over time",
    "monotone-loss": "the loss never grows when the threshold moves to the safe side",
    "fixed-sequence": "the order in which thresholds are tried was fixed without these rows",
    "finite-class": "the hypotheses are finitely many and were fixed before the data",
    "realizable": "some hypothesis of the class makes no error at all",
    "known-weights": "the likelihood ratios used as weights are the true ones",
    "bounded-length": "new rows are at most 100 times as long as the longest training row",
    "preference-property": "removing a row outside the compressed set does not change the compressed set",
    "compression-scheme": "the model can be rebuilt from the compressed rows and the counted messages alone",
    "prior-fixed": "the prior over the models was fixed before seeing these rows",
    "out-of-bag": "no voter, and no choice about it, has seen the rows that it is tested on",
    "independent-voters": "the voters err independently of each other",
    "class-fixed": "the class of hypotheses was fixed before seeing these rows",
    "stable-learner": "replacing one row changes no loss by more than the stated amount",
    "separable": "a separator with the stated margin exists",
    "bounded-solution": "some optimum has coefficients at most 1000 times as large as those that were found",
    "convex": "the objective is convex",
    "smooth": "the objective is differentiable",
    "strongly-convex": "the objective minus (strength/2)|w|^2 is convex",
    "known-smoothness": "the gradient changes by at most the declared multiple of the distance",
    "floating-point-model": "rounding errors stay within the stated multiple of the machine precision",
    "independent-draws": "the random numbers behave like independent draws, made without looking at the rows",
    "gaussian": "the values follow a normal distribution",
    "correct-model": "the data come from the model family that was fitted",
    "asymptotic": "the number of rows is large enough for a limit theorem, by an unstated margin",
    "independent-folds": "the scores of different folds are treated as independent, which they are not",
}


def holdout_tokens(uses: int, *more: str) -> tuple[str, ...]:
    """Assumptions of a bound from held-out rows that have served `uses` questions, and `more` of its own."""
    origin = ("candidates-fixed", "uses-counted") if uses > 1 else ("independent-holdout",)
    return ("iid", "fixed-sample-size", *origin, *more)


def check_assumptions(tokens: Iterable[str]) -> tuple[str, ...]:
    """Return the tokens as a tuple; refuse any that is not in the vocabulary."""
    if isinstance(tokens, str):
        raise ValueError(f"assumptions must be a sequence of tokens, got the string {tokens!r}.")
    found = tuple(tokens)
    for token in found:
        if token not in ASSUMPTIONS:
            known = ", ".join(sorted(ASSUMPTIONS))
            raise ValueError(f"assumptions: {token!r} is not in the vocabulary.\nHint: use one of {known}.")
    return found
