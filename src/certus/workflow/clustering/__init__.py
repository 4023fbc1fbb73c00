"""Studies without a target: groups of rows."""

from certus.workflow.clustering.model import ClusterModel
from certus.workflow.clustering.task import KIND, cluster_task

__all__ = ["KIND", "ClusterModel", "cluster_task"]
