"""Promises that hold at every look: confidence sequences, alarms, monitors."""

from certus.guarantees.monitoring.adaptive_conformal import AdaptiveConformal
from certus.guarantees.monitoring.alarm_certificate import AlarmSetting
from certus.guarantees.monitoring.confidence_sequence import ConfidenceSequence
from certus.guarantees.monitoring.monitor import Monitor, MonitorSetting

__all__ = ["AdaptiveConformal", "AlarmSetting", "ConfidenceSequence", "Monitor", "MonitorSetting"]
