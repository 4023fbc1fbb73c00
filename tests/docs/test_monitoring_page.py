"""The page on monitoring is what the gate gives, and its example runs."""

import re

from docs.pages import monitoring
from tests.guarantees import anytime_gate, gate


def test_page_is_up_to_date():
    """The exact parts are made again and must be equal; the simulated one stays within its level."""
    text = monitoring.PAGE.read_text(encoding="utf-8")
    assert monitoring.HEAD.strip() in text
    assert monitoring.sequence_section() in text
    assert monitoring.alarm_section() in text
    assert monitoring.mutants_section() in text
    for stream in anytime_gate.STREAMS:
        cells = re.search(rf"^\| {re.escape(stream.name)} \| (.*) \|$", text, flags=re.MULTILINE).group(1).split(" | ")
        for cell, delta in zip(cells, gate.DELTAS, strict=True):
            assert float(cell) <= gate.allowed(delta, monitoring.REPLICATES)


def test_example_runs():
    (example,) = re.findall(r"```python\n(.*?)```", monitoring.HEAD, re.DOTALL)
    exec(example.replace("print(watch)", "str(watch)"), {})
