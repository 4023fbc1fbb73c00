"""Regimes in which a learner is worse than its namesake, and why; `docs/differential.md` lists the same."""

KNOWN: dict[tuple[str, str], str] = {
    ("GammaRegressor", "offset 1e9"): (
        "Without a penalty, columns of spread 1 that are 1e9 off 0 leave nine digits fewer to Newton's steps than "
        "their means taken off first; the fit warns, and its gap says so."
    ),
}
