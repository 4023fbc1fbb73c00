"""Posteriors of single nodes by loopy belief propagation and by mean field."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from certus.distributions import Factor
from certus.graphical.evidence.estimated_posterior import estimate_certificate
from certus.graphical.evidence.plain_factors import plain_factors
from certus.graphical.networks.bounds.loopy_messages import loopy_beliefs
from certus.graphical.networks.bounds.mean_field import MeanField
from certus.graphical.networks.inference.answers import Posterior
from certus.graphical.networks.inference.clique_messages import Question, require_possible
from certus.graphical.networks.inference.evidence_input import Evidence


def estimated(network: Any, targets: list[int], evidence: Evidence, method: str, options: dict[str, Any]) -> Posterior:
    """P(target | evidence) of one unobserved node."""
    if len(targets) > 1 or targets[0] in evidence.states:
        raise ValueError(
            f"method={method!r} must have one unobserved target, got {[network.nodes[v] for v in targets]!r}.\n"
            "Hint: 'weighting' and 'gibbs' take several."
        )
    require_possible(network, evidence)
    plain = plain_factors(Question(network, evidence, targets))
    name = network.nodes[targets[0]]
    place = plain["names"].index(name)
    if method == "loopy":
        found = loopy_beliefs(plain, **options)
        values = found.beliefs[place]
        details: dict[str, Any] = {"rounds": found.rounds, "change": found.change, "converged": found.converged}
        state = "converged" if found.converged else "did NOT converge"
        ended = f"which {state} in {found.rounds} rounds"
    else:
        field = MeanField(plain, [np.full(int(card), 1.0 / int(card)) for card in plain["states"]]).run()
        values = field.q[place]
        details = {"rounds": len(field.history) - 1, "lower_bound": field.history[-1]}
        ended = f"whose lower bound on the log-probability is {field.history[-1]:.6g}"
    if not np.isfinite(values).all():
        raise ValueError(f"method={method!r} must keep some state of {name!r} possible, got none left.")
    factor = Factor({name: network.states(name)}, values)
    return Posterior(factor, method, None, partial(estimate_certificate, method, ended), details)
