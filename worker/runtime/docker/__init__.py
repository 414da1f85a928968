"""The Docker runtime: a trial as a pod of containers that share one private network namespace."""

from worker.runtime.docker.runtime import DockerRuntime

__all__ = ["DockerRuntime"]
