"""Studies without a target: groups of rows."""

from certus.workflow.clustering.cluster_model import ClusterModel
from certus.workflow.clustering.cluster_task import KIND, cluster_task

__all__ = ["KIND", "ClusterModel", "cluster_task"]
