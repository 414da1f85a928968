"""The load generator and the service of its tests, for load that comes from load hosts."""

from worker.tests.loadgen.conftest import service_url

__all__ = ["service_url"]
