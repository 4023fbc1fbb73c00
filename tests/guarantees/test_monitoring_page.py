"""The page on monitoring is what the gate gives, and its example runs."""

import re

from tests.guarantees import anytime_gate, gate, write_monitoring_page


def test_page_is_up_to_date():
    """The exact parts are made again and must be equal; the simulated one stays within its level."""
    text = write_monitoring_page.PAGE.read_text(encoding="utf-8")
    assert write_monitoring_page.HEAD.strip() in text
    assert write_monitoring_page.sequence_section() in text
    assert write_monitoring_page.alarm_section() in text
    assert write_monitoring_page.mutants_section() in text
    for stream in anytime_gate.STREAMS:
        cells = re.search(rf"^\| {re.escape(stream.name)} \| (.*) \|$", text, flags=re.MULTILINE).group(1).split(" | ")
        for cell, delta in zip(cells, gate.DELTAS, strict=True):
            assert float(cell) <= gate.allowed(delta, write_monitoring_page.REPLICATES)


def test_example_runs():
    (example,) = re.findall(r"```python\n(.*?)```", write_monitoring_page.HEAD, re.DOTALL)
    exec(example.replace("print(watch)", "str(watch)"), {})
