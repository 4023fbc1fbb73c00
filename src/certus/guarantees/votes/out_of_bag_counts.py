"""How often voters err on rows that they have not seen, alone and in pairs: counted fast, and counted again."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError


@dataclass(frozen=True)
class OutOfBagErrors:
    """How often voters err on rows outside their bags, alone and in pairs, averaged by weight.

    Parameters
    ----------
    gibbs : float
        Average over voters of the share of their own left-out rows on which they err.
    tandem : float
        Average over pairs, a voter with itself included, of the share of common rows on which both err.
    disagreement : float
        The same for exactly one of the two.
    rows : int
        The fewest left-out rows of any voter.
    pair_rows : int
        The fewest common left-out rows of any pair; without any, pairs say nothing.
    kl : float
        Relative entropy of the weights to equal weights.
    """

    gibbs: float
    tandem: float
    disagreement: float
    rows: int
    pair_rows: int
    kl: float


def out_of_bag_errors(
    masks: ArrayLike, votes: ArrayLike, labels: ArrayLike, *, weights: ArrayLike | None = None
) -> OutOfBagErrors:
    """Count errors of voters and of pairs of voters on the rows outside their bags.

    Parameters
    ----------
    masks : array-like of shape (voters, rows)
        True where the row is outside the voter's bag.
    votes : array-like of shape (voters, rows)
        What each voter says about each row; read only where `masks` is True.
    labels : array-like of shape (rows,)
        The true labels.
    weights : array-like of shape (voters,), optional
        Weights of the voters; equal by default.

    Examples
    --------
    >>> found = out_of_bag_errors([[1, 1, 0], [0, 1, 1]], [["a", "b", "a"], ["a", "a", "b"]], ["a", "a", "a"])
    >>> found.gibbs, found.tandem, found.rows, found.pair_rows
    (0.5, 0.25, 2, 1)
    """
    outside, wrong = _check_votes(masks, votes, labels)
    mass, kl = _check_weights(weights, len(outside))
    exact = np.float32 if outside.shape[1] < 1 << 24 else np.float64  # sums of zeros and ones without rounding
    tested: np.ndarray = outside.astype(exact)
    errs: np.ndarray = (wrong & outside).astype(exact)
    common, both, one = ((a @ b.T).astype(np.float64) for a, b in ((tested, tested), (errs, errs), (errs, tested)))
    # One errs and the other does not: both directions.
    apart = one + one.T - 2.0 * both
    gibbs = float(mass @ (np.diagonal(both) / np.diagonal(common)))
    shared = np.maximum(1.0, common)
    return OutOfBagErrors(
        gibbs=min(1.0, gibbs),
        tandem=min(1.0, float(mass @ (both / shared) @ mass)),
        disagreement=min(1.0, float(mass @ (apart / shared) @ mass)),
        rows=int(np.diagonal(common).min()),
        pair_rows=int(common.min()),
        kl=kl,
    )


def _check_votes(masks: ArrayLike, votes: ArrayLike, labels: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    outside, voted, truth = np.asarray(masks), np.asarray(votes), np.asarray(labels)
    if outside.ndim != 2 or outside.shape[0] == 0 or not np.isin(outside, (0, 1)).all():
        raise ValueError(
            f"masks must be a (voters, rows) table of truth values, got shape {outside.shape} of {outside.dtype}."
        )
    if voted.shape != outside.shape or truth.shape != outside.shape[1:]:
        raise ValueError(
            f"votes must have the shape of masks {outside.shape} and labels its number of rows, "
            f"got {voted.shape} and {truth.shape}."
        )
    empty = np.flatnonzero(~outside.astype(bool).any(axis=1))
    if empty.size:
        raise ValueError(
            f"masks: voter {int(empty[0])} has no row outside its bag.\n"
            "Hint: draw bags with replacement, or smaller ones."
        )
    return outside.astype(bool), voted != truth[None, :]


def _check_weights(weights: ArrayLike | None, voters: int) -> tuple[np.ndarray, float]:
    if weights is None:
        return np.full(voters, 1.0 / voters), 0.0
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (voters,) or not np.isfinite(given).all() or (given < 0).any() or given.sum() <= 0:
        raise ValueError(f"weights must be {voters} finite numbers of at least 0 that are not all 0, got {weights!r}.")
    mass = given / given.sum()
    positive = mass[mass > 0]
    return mass, max(0.0, float(positive @ np.log(positive * voters))) * (1.0 + 1e-13) + 1e-15


def recount(certificate: Certificate, data: ArrayLike | None, names: Mapping[str, str]) -> None:
    """Count again, pair by pair, and compare with the witness of a vote's certificate.

    `data` is (masks, votes, labels) or (masks, votes, labels, weights); `names` says which entry of the witness
    holds which of the counted numbers.
    """
    if not isinstance(data, tuple) or len(data) not in (3, 4):
        raise CertificateError(f"{certificate.quantity}: data must be (masks, votes, labels) or (..., weights).")
    found = _counted_again(*data)
    for entry, counted in names.items():
        stated, again = certificate.witness[entry], found[counted]
        if abs(stated - again) > 1e-9 * max(1.0, abs(again)):
            raise CertificateError(f"{certificate.quantity}: the data give {entry} {again!r}, the witness {stated!r}.")


def _counted_again(
    masks: ArrayLike, votes: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None
) -> dict[str, float]:
    outside, wrong = _check_votes(masks, votes, labels)
    voters = len(outside)
    mass = [1.0 / voters] * voters if weights is None else (np.asarray(weights, dtype=float) / np.sum(weights)).tolist()
    sums = dict.fromkeys(("gibbs", "tandem", "disagreement", "kl"), 0.0)
    common = []
    for i in range(voters):
        sums["gibbs"] += mass[i] * float(wrong[i][outside[i]].mean())
        sums["kl"] += mass[i] * float(np.log(mass[i] * voters)) if mass[i] > 0 else 0.0
        for j in range(voters):
            rows = outside[i] & outside[j]
            common.append(int(rows.sum()))
            if common[-1]:
                a, b = wrong[i][rows], wrong[j][rows]
                sums["tandem"] += mass[i] * mass[j] * float((a & b).mean())
                sums["disagreement"] += mass[i] * mass[j] * float((a ^ b).mean())
    sums["joint"] = sums["tandem"] + sums["disagreement"] / 2.0
    return {**sums, "rows": int(outside.sum(axis=1).min()), "pair_rows": min(common)}
