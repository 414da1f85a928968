"""The image of a pod's holder, which contains only the load generator."""

import hashlib
import uuid
from pathlib import Path

import docker.errors
from docker.types import Ulimit

from worker.runtime.base import MAX_OPEN_FILES
from worker.runtime.docker.engine import LABEL_TRIAL, EngineClient, engine_errors
from worker.runtime.docker.images import build_from_memory, find_image
from worker.runtime.docker.notes import ImageNotes
from worker.runtime.docker.stored import HOLDER_REPOSITORY

BINARY = "/k6"
_DOCKERFILE = b"""\
FROM scratch
COPY k6 /k6
ENTRYPOINT ["/k6", "hold"]
"""


def ensure_holder_image(engine: EngineClient, k6: Path, notes: ImageNotes) -> str:
    """Build the image with this binary if the engine does not have it; return its tag."""
    reference = holder_reference(k6)
    if find_image(engine, reference) is None:
        files = {"Dockerfile": _DOCKERFILE, "k6": k6.read_bytes()}
        build_from_memory(engine, reference, files)
        notes.write(reference)
    return reference


def holder_reference(k6: Path) -> str:
    """Return the tag of the image with this binary."""
    content = hashlib.sha256(_DOCKERFILE + k6.read_bytes()).hexdigest()
    return f"{HOLDER_REPOSITORY}:{content[:12]}"


def find_ulimits(engine: EngineClient, image: str) -> list[Ulimit]:
    """Return the limit on open files, or nothing if this engine may not set it.

    The defaults of engines differ; with 1,024, a framework that does not raise its
    limit would fail under many connections on one host but not on another.
    """
    limits = [Ulimit(name="nofile", soft=MAX_OPEN_FILES, hard=MAX_OPEN_FILES)]
    with engine_errors("Trying the limit on open files"):
        probe: str = engine.create_container(
            image,
            labels={LABEL_TRIAL: str(uuid.uuid4())},
            host_config=engine.create_host_config(network_mode="none", ulimits=limits),
        )["Id"]
        try:
            engine.start(probe)
        except docker.errors.APIError as error:
            if "rlimit" not in str(error.explanation):
                raise
            return []
        finally:
            engine.remove_container(probe, v=True, force=True)
    return limits


def is_holder(pid: int) -> bool:
    """Return whether a process of this machine is a holder."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return command.split(b"\0")[:2] == [BINARY.encode(), b"hold"]
