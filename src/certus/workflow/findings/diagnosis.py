"""What to do next, from the losses on training rows, validation rows and of the baseline."""

from __future__ import annotations

# A training loss below this fraction of the validation loss means that the model knows its rows by heart.
BY_HEART = 0.5
# A validation loss above this fraction of the baseline's means that little was learned.
LITTLE_LEARNED = 0.9


def diagnosis(training: float, validation: float, baseline: float, falling: bool | None) -> str:
    """Over-fitting, under-fitting, or neither, in words, and what may help.

    If the training loss is large: other features or a richer model. If it is small and the validation loss large:
    more rows while the learning curve falls, else a simpler model or other features.
    """
    if baseline <= 0.0:
        return "the baseline makes no error: the target is (nearly) constant"
    if validation <= 0.0:
        return "no error on the validation rows: check that no column gives the target away"
    little = validation >= LITTLE_LEARNED * baseline
    if little and training >= LITTLE_LEARNED * baseline:
        return "under-fitting: hardly better than the baseline even on its own rows; do the columns tell the target?"
    if training < BY_HEART * validation:
        advice = "more rows would help" if falling else "try fewer columns, or others; more rows alone will hardly help"
        state = "over-fitting" if little else "the model fits its own rows much better than new ones"
        return f"{state} ({training:.3g} against {validation:.3g}); {advice}"
    if falling:
        return "neither over- nor under-fitting; more rows would still help"
    return "neither over- nor under-fitting; better columns would help more than more rows"
