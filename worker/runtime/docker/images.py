"""The images of an engine: finds, builds and removes them."""

import io
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TypedDict, Unpack

import docker.errors

from backend.core.config import get_settings
from worker.runtime.building import BoundedLog
from worker.runtime.docker.answers import BuildEvent, ImageDetails
from worker.runtime.docker.engine import EngineClient, connect, engine_errors
from worker.runtime.errors import BuildFailed

# The engine's messages for a failed request to a registry.
_NO_REGISTRY = re.compile(r'Get "https?://[^"]*/v2/')


class BuildOptions(TypedDict, total=False):
    """The arguments of a build that differ between images."""

    buildargs: dict[str, str]
    network_mode: str
    use_config_proxy: bool


def find_image(engine: EngineClient, reference: str) -> ImageDetails | None:
    """Return the engine's details of an image, or None if it has no image of that name."""
    with engine_errors(f"Inspecting {reference}"):
        try:
            image: ImageDetails = engine.inspect_image(reference)  # type: ignore[no-untyped-call]
        except docker.errors.ImageNotFound:
            return None
    return image


def remove_image(reference: str) -> None:
    """Remove an image and its name; do nothing if there is none."""
    with (
        connect() as engine,
        engine_errors(f"Removing {reference}"),
        suppress(docker.errors.ImageNotFound),
    ):
        engine.remove_image(reference, force=True)


def event_lines(events: Iterator[BuildEvent], failure: str, log: BoundedLog) -> Iterator[str]:
    """Yield the builder's events as log lines; raises `BuildFailed` for an error event."""
    for event in events:
        if "error" in event:
            message = str(event["error"])
            log.write(message)
            raise BuildFailed(f"{failure}: {message}{_find_fix(message)}", log.text)
        text = str(event.get("stream", ""))
        if "status" in event and "progressDetail" not in event:
            text = f"{event.get('id', '')} {event['status']}"
        yield from (line.rstrip() for line in text.splitlines() if line.strip())


def _find_fix(message: str) -> str:
    """Return the fix if a base cannot be pulled; empty for other errors of a build."""
    if not _NO_REGISTRY.search(message):
        return ""
    return (
        ". The engine reaches no image registry. Fix its network, or set TACHO_BASES=debian to "
        "build the base images from Debian packages (needs mmdebstrap), and restart the worker."
    )


def build_from_memory(
    engine: EngineClient,
    reference: str,
    files: Mapping[str, bytes],
    on_log: Callable[[str], None] = lambda _: None,
    **options: Unpack[BuildOptions],
) -> None:
    """Build an image from files in memory; one of them is its Dockerfile.

    An exception raised by `on_log` stops it.
    """
    log = BoundedLog()
    with engine_errors(f"Building {reference}"):
        events = engine.build(
            fileobj=pack(files),
            custom_context=True,
            tag=reference,
            rm=True,
            forcerm=True,
            decode=True,
            timeout=get_settings().build_seconds,
            **options,
        )
        for line in event_lines(events, f"{reference} does not build", log):
            on_log(line)
            log.write(line)


def pack(files: Mapping[str, bytes]) -> io.BytesIO:
    """Return a tar archive of files that all users may read and execute."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            member.mode = 0o755
            archive.addfile(member, io.BytesIO(content))
    packed.seek(0)
    return packed
