"""What else a finished study can tell: against whom the winner won, where it errs, and what would help."""

from certus.workflow.findings.gather import Finished, find_all, find_clusters
from certus.workflow.findings.record import Findings

__all__ = ["Findings", "Finished", "find_all", "find_clusters"]
