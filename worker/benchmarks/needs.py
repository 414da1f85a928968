"""What benchmarks in containers need, checked before anything is built."""

from backend.core.config import get_settings
from backend.core.units import RuntimeKind
from worker.runtime.bases import Bases
from worker.runtime.choice import choose_runtime, load_bases
from worker.runtime.errors import RuntimeUnavailable
from worker.sampling.cgroup import is_visible


def require_docker() -> Bases:
    """Return the base images of this host; end the program where it cannot measure in containers.

    The message names what is missing and the settings that help.
    """
    try:
        return check_docker()
    except RuntimeUnavailable as error:
        raise SystemExit(f"This benchmark runs in containers. {error.detail}") from error


def check_docker() -> Bases:
    """Return the base images of this host: an engine, bases and control groups are there.

    Raises:
        RuntimeUnavailable: with what is missing and the fix.
    """
    settings = get_settings().model_copy(update={"runtime": RuntimeKind.DOCKER.value})
    bases = load_bases(settings, choose_runtime(settings))
    assert bases is not None
    if not is_visible(settings.cgroup_root):
        raise RuntimeUnavailable(
            f"There are no control groups at {settings.cgroup_root}.",
            "Set TACHO_CGROUP_ROOT to where the cgroup tree of the engine's host is mounted.",
        )
    return bases


def find_runtime() -> RuntimeKind:
    """Return the runtime that a worker would choose here."""
    return choose_runtime(get_settings()).kind
