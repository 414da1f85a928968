"""`tacho doctor` shows the CPU sets, and what is wrong with those of the settings."""

from backend.core.config import Settings
from backend.platform.diagnosis.checks import CheckVerdict
from cli.doctor import inspect_cpus


def test_cpu_sets_that_share_a_cpu_are_limited() -> None:
    found = inspect_cpus(Settings(service_cpus=(0,), load_cpus=(0,), backing_cpus=(0,)))

    assert found.verdict is CheckVerdict.LIMITED
    assert found.found.startswith("service 0 (1 core")
    assert "Service and load share CPU 0:" in found.found
    assert "set it to whole cores of its own" in found.fix


def test_a_cpu_that_is_missing_is_named() -> None:
    found = inspect_cpus(Settings(service_cpus=(8191,)))

    assert found.verdict is CheckVerdict.MISSING
    assert found.found == "TACHO_SERVICE_CPUS names CPU 8191, which this worker may not use."
