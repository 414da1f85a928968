"""Asks the engine which images it has, and whether an image registry answers it."""

import time
from collections.abc import Iterable

import docker.errors
import requests
from docker.auth import resolve_repository_name

from worker.runtime.docker.engine import EngineClient, engine_errors
from worker.runtime.docker.images import find_image

# Limit for all requests together, because the start of a worker waits for them.
_PROBE_SECONDS = 4.0
# A single tag may have been withdrawn. A registry that refuses this many has none of our images.
_MOST_PER_REGISTRY = 3
_NO_IMAGE = "scratch"
# The registry answered, but refused this image.
_REFUSED = frozenset({401, 403, 404})
_RATE_LIMITED = "toomanyrequests"


def list_missing_images(engine: EngineClient, references: Iterable[str]) -> list[str]:
    """Return the references without an image on the engine; `scratch` needs no image."""
    wanted = dict.fromkeys(reference for reference in references if reference != _NO_IMAGE)
    return [reference for reference in wanted if find_image(engine, reference) is None]


def find_registry_fault(
    engine: EngineClient, references: Iterable[str], timeout_s: float = _PROBE_SECONDS
) -> str:
    """Return why the engine cannot pull these images; empty when their registries answer.

    The engine makes the requests, because it may have a proxy, a mirror or another host's network.
    A registry that offers one of the images is enough. All requests together take at most
    `timeout_s`.
    """
    by_registry: dict[str, list[str]] = {}
    with engine_errors("Asking the engine for its image registry"):
        for reference in references:
            registry, _ = resolve_repository_name(reference)
            by_registry.setdefault(registry, []).append(reference)
    deadline = time.monotonic() + timeout_s
    for registry, own in by_registry.items():
        if fault := _ask(engine, registry, own[:_MOST_PER_REGISTRY], deadline):
            return fault
    return ""


def _ask(engine: EngineClient, registry: str, references: Iterable[str], deadline: float) -> str:
    """Return why the registry offers none of these images; empty if it offers any."""
    fault = ""
    for reference in references:
        try:
            with engine.timeout_of(max(0.1, deadline - time.monotonic())):
                engine.inspect_distribution(reference)  # type: ignore[no-untyped-call]
        except docker.errors.APIError as error:
            explanation = str(error.explanation or error)
            if _RATE_LIMITED in explanation:
                return ""
            cause = explanation.strip().rpartition(": ")[2]
            if error.status_code not in _REFUSED:
                return f"the engine does not reach the image registry {registry} ({cause})"
            fault = f"the image registry {registry} refuses {reference} ({cause})"
        except requests.RequestException:
            return f"the image registry {registry} does not answer the engine in time"
        else:
            return ""
    return fault
