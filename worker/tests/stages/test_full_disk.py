"""A full disk is the fault of the infrastructure, and the message names TACHO_DATA."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.core.errors import LoadFailed, TachoError, VerificationFailed
from backend.core.units import FailureCause, RuntimeKind
from worker.runtime.errors import BuildFailed
from worker.stages.full_disk import find_full_disk

# Every write to this device fails as on a full disk.
_FULL = Path("/dev/full")


def write() -> OSError:
    """Return the error of a write to a full disk."""
    with pytest.raises(OSError, match="No space left") as caught:
        _FULL.write_bytes(b"x")
    return caught.value


def wrap() -> TachoError:
    """Return an error that was raised because of a full disk."""
    wrapped = LoadFailed("The load generator did not start.")
    wrapped.__cause__ = write()
    return wrapped


def build() -> BuildFailed:
    """Return the failure of a build whose program wrote to a full disk."""
    done = subprocess.run(
        ["sh", "-c", f"head -c 1 /dev/zero > {_FULL}"], capture_output=True, text=True, check=False
    )
    return BuildFailed("The build ended with exit code 1.", done.stderr)


@pytest.mark.parametrize("cause", [write, wrap, build])
def test_a_full_data_folder_is_an_infrastructure_failure(
    cause: Callable[[], Exception], tmp_path: Path
) -> None:
    failure = find_full_disk(cause(), tmp_path, RuntimeKind.PROCESS)
    assert failure is not None
    assert failure.code == "disk_full"
    assert failure.cause is FailureCause.INFRASTRUCTURE
    assert f"the disk of TACHO_DATA={tmp_path} is full" in failure.detail
    assert "Free some space" in failure.detail


def test_a_full_disk_of_the_engine_is_named(tmp_path: Path) -> None:
    failure = find_full_disk(build(), tmp_path, RuntimeKind.DOCKER)
    assert failure is not None
    assert "container engine" in failure.detail
    assert "TACHO_DATA" not in failure.detail


@pytest.mark.parametrize(
    "error",
    [
        VerificationFailed("12 of 12 checks failed."),
        BuildFailed("The build ended with exit code 1.", "npm error code E404"),
        FileNotFoundError(2, "No such file"),
    ],
)
def test_other_errors_are_not_a_full_disk(error: Exception, tmp_path: Path) -> None:
    assert find_full_disk(error, tmp_path, RuntimeKind.PROCESS) is None


def test_errors_that_cause_each_other_are_read_once(tmp_path: Path) -> None:
    first, second = RuntimeError("first"), RuntimeError("second")
    first.__context__, second.__context__ = second, first

    assert find_full_disk(first, tmp_path, RuntimeKind.PROCESS) is None
