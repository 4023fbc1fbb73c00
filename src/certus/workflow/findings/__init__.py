"""What else a finished study can say: against whom the winner won, where it errs, and what would help."""

from certus.workflow.findings.gather import Findings, find_all

__all__ = ["Findings", "find_all"]
