"""Writes docs/monitoring.md from the gate: run ``python -m docs.pages.monitoring`` in the root."""

from pathlib import Path

from docs.pages.markdown import table
from tests.guarantees import anytime_gate, gate
from tests.guarantees.anytime_mutants import ANYTIME_MUTANTS

PAGE = Path(__file__).parents[1] / "monitoring.md"
REPLICATES, ROWS = 4000, 1000

HEAD = """# Watching a deployed model: what holds at every look

Made by `python -m docs.pages.monitoring`; do not edit by hand.

A bound for a fixed number of rows fails sooner or later when it is looked at again and again. Everything on this page
holds at all times together, however often one looks and whenever one stops.

```python
import certus

watch = certus.monitor(errors=50, rows=1000)  # or (model, X, y), or losses=..., or threshold=0.05
watch.update(losses=[0, 0, 1, 0])  # or update(y_true, y_pred); any batch size
print(watch)  # alarm or not; which promises are void, which stand
state = watch.to_json()  # certus.guarantees.Monitor.from_json(state) goes on later
```

On the command line: `certus monitor rows.csv --target y --prediction p --state watch.json --errors 50 --of-rows 1000`.
Run it again whenever the file has grown, or after a kill: rows that are counted already are recognized and skipped.
Exit 1 means alarm.

| account | promise | rests on |
| --- | --- | --- |
| alarm | false with a chance of at most 5 % over the whole stream | reference rows independent, unseen; range |
| average since deployment | interval at every look | range; the mean may drift |
| average of the latest rows | the same, level shared out over all windows | range; the mean may drift |
| adaptive conformal sets | share of missed rows within a computed distance | nothing at all |

The alarm sounds when, for each of eight upper bounds of the reference risk, a test martingale against "the risk never
exceeds the bound" has reached what that bound asks for. Bounds that may fail with probability u_1 < u_2 < ... and
levels g_1 > g_2 > ... cost together u_1 + g_1 (u_2 - u_1) + ... + g_8 (1 - u_8), which is the stated level. Evidence
starts anew beside the old in fixed shares of the stake, so that a late drift is noticed soon. A loss outside the
declared range voids alarm and averages, says so, and leaves everything else in force.

After an alarm, certificates that rest on an unchanged distribution (`iid`, `exchangeable`, `constant-mean` ...) are
void; optimality gaps, adaptive sets and averages of a moving mean stand.
"""


def sequence_section() -> str:
    """Exact violations of the beta-binomial sequence."""
    rows = [
        [f"{delta:g}", *(f"{anytime_gate.worst_sequence(side, delta):.4f}" for side in ("both", "upper", "lower"))]
        for delta in gate.DELTAS
    ]
    text = f"## Rates: chance that the sequence is wrong at any of {anytime_gate.HORIZON} rows, worst rate, exact\n\n"
    return text + table(["delta", "both sides", "upper", "lower"], rows)


def alarm_section() -> str:
    """Exact false alarms and delays."""
    text = "## Alarm: exact chance of a false one, and rows until half of all streams have alarmed\n\n"
    text += (
        f"Reference of {anytime_gate.REFERENCE_ROWS} random rows, stream of {anytime_gate.HORIZON} rows, both at the "
    )
    text += "same rate or the stream better; worst rate.\n\n"
    false = [[f"{delta:g}", f"{anytime_gate.worst_false_alarm(delta):.4f}"] for delta in gate.DELTAS]
    text += table(["delta", "false alarm"], false)
    text += "\n\nReference of 1000 rows with 50 errors, level 5 %, drift from the first row on.\n\n"
    delays = [[f"{rate:.0%}", str(anytime_gate.median_alarm(rate))] for rate in (0.12, 0.15, 0.2, 0.3)]
    return text + table(["error in production", "median row of the alarm"], delays)


def average_section() -> str:
    """Simulated violations of the gamma-exponential sequence."""
    rows = []
    for stream in anytime_gate.STREAMS:
        cells = [stream.name]
        for delta in gate.DELTAS:
            found = anytime_gate.gamma_violations(stream, delta, REPLICATES, ROWS)
            if found > gate.allowed(delta, REPLICATES):
                raise SystemExit(f"the gate is not passed: {stream.name}, {delta}: {found}")
            cells.append(f"{found:.4f}")
        rows.append(cells)
    text = f"## Averages: share of {REPLICATES} streams in which the sequence is wrong at any of {ROWS} rows\n\n"
    return text + table(["losses", *(f"delta {delta:g}" for delta in gate.DELTAS)], rows)


def mutants_section() -> str:
    """Which check kills which mistake."""
    rows = [[mutant.bound, mutant.mistake, mutant.by] for mutant in ANYTIME_MUTANTS]
    text = "## Mistakes that the gate catches\n\n"
    return text + table(["what", "mistake", "killed by"], rows)


def page() -> str:
    """The page as text."""
    sections = [HEAD, sequence_section(), alarm_section(), average_section(), mutants_section()]
    return "\n\n".join(section.strip() for section in sections) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
