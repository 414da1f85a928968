"""The sampler's tests read the same real pods as the runtime's."""

from worker.tests.runtime.conftest import docker_runtime, k6, plain_service, process_runtime

__all__ = ["docker_runtime", "k6", "plain_service", "process_runtime"]
