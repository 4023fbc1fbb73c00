"""Promises that hold at every look.

* `confidence_sequence` and `sequence_certificate`: a mean or a rate, bounded at all times; `recent_average`: of late.
* `monitor`, `alarm_ladder`, `alarm_reference`, `alarm_certificate`: an alarm with a known chance of being false.
* `adaptive_conformal`: sets whose average coverage holds under any drift.
* `beta_mixture`, `gamma_mixture`, `rate_evidence`, `betting_evidence`, `restarts`: the evidence behind them;
  `quadrature`: its second route.
"""

from certus.guarantees.monitoring.adaptive_conformal import AdaptiveConformal
from certus.guarantees.monitoring.alarm_certificate import AlarmSetting
from certus.guarantees.monitoring.beta_mixture import interval as mixture_interval
from certus.guarantees.monitoring.beta_mixture import log_evidence as mixture_evidence
from certus.guarantees.monitoring.confidence_sequence import ConfidenceSequence
from certus.guarantees.monitoring.monitor import Monitor, MonitorSetting

__all__ = [
    "AdaptiveConformal",
    "AlarmSetting",
    "ConfidenceSequence",
    "Monitor",
    "MonitorSetting",
    "mixture_evidence",
    "mixture_interval",
]
