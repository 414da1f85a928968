"""Which images the engine has, and whether an image registry answers it."""

import time
from collections.abc import Iterable

import docker.errors
import requests
from docker.auth import resolve_repository_name

from worker.runtime.docker.engine import EngineClient, engine_errors, find_image

# All questions together: a worker's start waits for them.
_PROBE_SECONDS = 4.0
# A tag may have been withdrawn. If a registry refuses this many, it does not serve our images.
_MOST_PER_REGISTRY = 3
_NO_IMAGE = "scratch"
# The registry answered, but refused this image.
_REFUSED = frozenset({401, 403, 404})
_RATE_LIMITED = "toomanyrequests"


def list_missing_images(engine: EngineClient, references: Iterable[str]) -> list[str]:
    """Return the references that the engine has no image of; `scratch` needs none."""
    wanted = dict.fromkeys(one for one in references if one != _NO_IMAGE)
    return [one for one in wanted if find_image(engine, one) is None]


def find_registry_fault(
    engine: EngineClient, references: Iterable[str], timeout_s: float = _PROBE_SECONDS
) -> str:
    """Return why the engine cannot pull these images; empty when their registries answer.

    The engine is asked, not the network: it may have a proxy, a mirror or another host's network.
    One image that a registry offers is enough. All questions together take at most `timeout_s`.
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
    """Return why none of these images can be had from their registry; empty if one can."""
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
