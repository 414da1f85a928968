"""The tests of the sampler use the same real pods as the tests of the runtime."""

from worker.tests.runtime.conftest import docker_runtime, k6, plain_service, process_runtime

__all__ = ["docker_runtime", "k6", "plain_service", "process_runtime"]
