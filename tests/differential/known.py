"""Regimes in which a learner is worse than its namesake, and why; `docs/differential.md` lists the same."""

KNOWN: dict[tuple[str, str], str] = {
    ("HistGradientBoostingRegressor", "weights 0, 1, 2"): (
        "Rows of weight 0 are removed, as the contract of learners says; there they still count for min_samples_leaf, "
        "so that leaves may be smaller. On the other rows alone both are equal."
    ),
}
