"""What bagging alone says about the vote: bounds from the rows that each voter left out of its bag."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certus.ensemble._native_calls import forest_kernels as kernels
from certus.guarantees import Certificate, Report, c_bound, cantelli_bound, first_order_bound, tandem_bound
from certus.guarantees.votes import QUANTITY

# Voters that do not name one class with certainty are counted by their largest share, while ``predict`` averages.
COUNTED_VOTE = "error of the voters' majority vote (predict averages their shares instead)"


@dataclass(frozen=True)
class VoteCounts:
    """Errors of equally weighted voters on the rows outside their bags, alone and in pairs, as shares.

    Parameters
    ----------
    gibbs, tandem, disagreement : float
        Averages over voters and over pairs, a voter with itself included: one errs, both err, exactly one errs.
    rows, pair_rows : int
        The fewest rows outside the bag of any voter, and outside those of any pair.
    """

    gibbs: float
    tandem: float
    disagreement: float
    rows: int
    pair_rows: int


def count_votes(in_bag: NDArray[np.uint64], errors: NDArray[np.uint64], rows: int, threads: int) -> VoteCounts:
    """Count errors from one row of bits per voter: which rows it was trained on, and on which others it errs."""
    present = np.zeros(in_bag.shape[1] * 64, dtype=bool)
    present[:rows] = True
    outside = ~in_bag & np.packbits(present, bitorder="little").view(np.uint64)
    common = kernels.count_common(outside, outside, threads)
    both = kernels.count_common(errors, errors, threads)
    one = kernels.count_common(errors, outside, threads)
    shared = np.maximum(common, 1)
    own = np.maximum(np.diag(common), 1)
    return VoteCounts(
        gibbs=float(np.mean(np.diag(both) / own)),
        tandem=float(np.mean(both / shared)),
        disagreement=float(np.mean((one + one.T - 2 * both) / shared)),
        rows=int(np.diag(common).min()),
        pair_rows=int(common.min()),
    )


def vote_report(counts: VoteCounts, *, pure: bool, confidence: float = 0.95) -> Report:
    """Bounds on the error of the vote that hold together; nothing if some voter was trained on every row.

    ``pure`` says whether every voter names one class with certainty, so that averaging shares is voting.
    """
    if counts.rows == 0:
        return Report()
    quantity = QUANTITY if pure else COUNTED_VOTE
    parts = 4 if counts.pair_rows else 1
    common = {"uses": parts, "out_of_bag": True, "quantity": quantity}
    found: list[Certificate] = [first_order_bound(counts.gibbs, counts.rows, confidence, **common)]  # type: ignore[arg-type]
    if counts.pair_rows:
        found += [
            tandem_bound(counts.tandem, counts.pair_rows, confidence, **common),  # type: ignore[arg-type]
            cantelli_bound(
                counts.gibbs,
                counts.rows,
                counts.tandem,
                counts.pair_rows,
                confidence,
                **common,  # type: ignore[arg-type]
            ),
            c_bound(
                counts.tandem + counts.disagreement / 2.0,
                counts.disagreement,
                counts.pair_rows,
                confidence,
                **common,  # type: ignore[arg-type]
            ),
        ]
    return Report(found)
