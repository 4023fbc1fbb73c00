"""What plain k-means++ promises of its first centers: E cost <= 8 (ln k + 2) times the least cost.

The greedy form, of several draws per center the best, has no such proof.
"""

from __future__ import annotations

import math
from typing import Any

from certus.guarantees import Certificate
from certus.guarantees.records import Basis, Derivation, number, rules

RULE = "cluster/seeding-cost"
QUANTITY = "expected cost of the first centers over the least cost"
BASIS = Basis(RULE, "k-means++: the advantages of careful seeding (Arthur, Vassilvitskii 2007)", ("independent-draws",))


def seeding_certificate(clusters: int) -> Certificate:
    """The certificate of a plain k-means++ start, before any round."""
    value = 8.0 * (math.log(clusters) + 2.0) * (1.0 + 2.0**-50)
    claim = (
        f"Averaged over the draws, the {clusters} first centers cost at most {number(value, 'upper')} times as "
        "much as the best centers, and rounds only lower that."
    )
    return BASIS.exact(claim, QUANTITY, "upper", value, math.inf, {"clusters": clusters}, {}, kind="expectation")


@rules.checker(RULE)
def check_seeding(certificate: Certificate, data: Any = None) -> Derivation:  # noqa: ARG001
    """The bound again from the number of centers; data add nothing."""
    again = seeding_certificate(int(certificate.inputs["clusters"]))
    return Derivation(8.0 * math.log(int(certificate.inputs["clusters"]) * math.e**2), record=again)
