"""Regimes in which a learner is worse than its namesake, and why; `docs/differential.md` lists the same."""

KNOWN: dict[tuple[str, str], str] = {
    ("GammaRegressor", "offset 1e9"): (
        "Without a penalty, columns of spread 1 that are 1e9 off 0 leave nine digits fewer to Newton's steps than "
        "their means taken off first; the fit warns, and its gap says so."
    ),
    ("SVR", "offset 1e9"): (
        "Linear kernel: its values are 1e18 on such columns, which leaves no digit for their spread. Scale the columns "
        "first."
    ),
    ("NuSVC", "duplicates"): "nu=0.1: the error is 8.5 points higher on tables with repeated rows. Not traced yet.",
    ("HistGradientBoostingRegressor", "weights 0, 1, 2"): (
        "Rows of weight 0 are removed, as the contract of learners says; there they still count for min_samples_leaf, "
        "so that leaves may be smaller. On the other rows alone both are equal."
    ),
}
