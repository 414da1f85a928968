"""The tests of the stages run services in the same pods as the tests of the runtime."""

from worker.tests.runtime.conftest import (
    docker_runtime,
    k6,
    plain_service,
    process_runtime,
    runtime,
)

__all__ = ["docker_runtime", "k6", "plain_service", "process_runtime", "runtime"]
