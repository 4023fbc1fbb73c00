"""What a ledger promises, as certificates: realized numbers apart from bounds."""

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from certus.guarantees.ledgers.replay import replayed
from certus.guarantees.records import rules
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import number, plural

if TYPE_CHECKING:
    from certus.guarantees.ledgers.ledger import Ledger
    from certus.guarantees.ledgers.line import Line

REALISED = "ledger-realized"


def of_lines(ledger: "Ledger") -> Iterator[Certificate]:
    """Per line what happened, and the bound on it unless that is void."""
    for line in ledger.lines:
        yield realized(ledger, line)
        if math.isfinite(line.bound):
            yield worst_case(ledger, line)


def realized(ledger: "Ledger", line: "Line") -> Certificate:
    """What happened: no theorem, a count."""
    expected = "expected " if ledger.kind == "expectation" else ""
    facts = {"loss": line.loss, "comparator": line.comparator, "since": line.since, "trials": ledger.trials}
    return Certificate(
        claim=f"In {_trials(ledger, line)} the learner's {expected}{_noun(line)} was {number(line.loss)}, that of the "
        f"comparator {number(line.comparator)}.",
        quantity=f"realized {line.quantity}",
        direction="upper",
        value=line.regret,
        trivial=math.inf,
        confidence=1.0,
        kind="exact",
        theorem="a sum",
        rule=REALISED,
        inputs={"learner": ledger.learner, "settings": ledger.settings, "line": line.quantity},
        witness=facts,
    )


def worst_case(ledger: "Ledger", line: "Line") -> Certificate:
    """How much the comparison could have come out worse, by the theorem of the line."""
    expected = "expected " if ledger.kind == "expectation" else ""
    more = f" (it is {number(line.regret)})" if ledger.kind in ("exact", "expectation") else ""
    return Certificate(
        claim=f"Over {_trials(ledger, line)} the {expected}{line.quantity} is at most "
        f"{number(line.bound, 'upper')}{more}.",
        quantity=line.quantity,
        direction="upper",
        value=line.bound,
        trivial=math.inf,
        confidence=ledger.confidence,
        kind=ledger.kind,
        theorem=line.theorem,
        rule=line.rule,
        assumptions=line.assumptions,
        inputs={"since": line.since, "trials": ledger.trials},
        witness=line.facts,
    )


def _noun(line: "Line") -> str:
    return "mistakes" if line.counts_mistakes else "loss"


def _trials(ledger: "Ledger", line: "Line") -> str:
    seen = ledger.trials - line.since + 1
    return plural(seen, "trial") + (f" from trial {line.since} on" if line.since > 1 else "")


@rules.checker(REALISED)
def _check_realized(certificate: Certificate, data: Any) -> Derivation:
    """The difference in exact arithmetic; with the stream, both sides from the twin."""
    witness, inputs = certificate.witness, certificate.inputs
    if data is not None:
        again = replayed(inputs["learner"], inputs["settings"], data)
        line = again.line(inputs["line"])
        for name, value in (("loss", line.loss), ("comparator", line.comparator), ("trials", again.trials)):
            if not math.isclose(value, witness[name], rel_tol=1e-9, abs_tol=1e-9 * max(1.0, abs(line.loss))):
                raise CertificateError(
                    f"{certificate.quantity}: the replayed stream gives the {name} {value!r}, the witness says "
                    f"{witness[name]!r}."
                )
    return Derivation(float(Decimal(witness["loss"]) - Decimal(witness["comparator"])), error=1e-12, scale=1e-12)
