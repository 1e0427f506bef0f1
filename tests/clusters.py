"""Ray clusters of this machine."""

from __future__ import annotations

from typing import Any

NODE = {"num_cpus": 1, "object_store_memory": 100_000_000}


def new_cluster() -> Any:
    """A head with one processor."""
    from ray.cluster_utils import Cluster

    return Cluster(initialize_head=True, head_node_args=NODE | {"include_dashboard": False})


def of(cluster: Any) -> tuple[str, ...]:
    """Options of a command that uses the cluster."""
    return "--executor", "ray", "--ray-address", cluster.address
