"""Chooses the runtime of this host, Docker or processes, and the source of base images.

`TACHO_RUNTIME` and `TACHO_BASES` set them. With `auto`, each start of the worker chooses by what
the machine has ([ADR 0023](docs/adr/0023-bases-by-what-the-machine-has.md)).
"""

import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from backend.core.catalog.folders import Catalogue
from backend.core.config import Settings
from backend.core.units import RuntimeKind
from worker.runtime.docker.bases import Bases, Flavour
from worker.runtime.docker.engine import EngineClient, check_linux, connect
from worker.runtime.docker.pins import BasePins
from worker.runtime.docker.registry import find_registry_fault, list_missing_images
from worker.runtime.errors import RuntimeUnavailable

_FIX = (
    "Install mmdebstrap (Debian: apt-get install mmdebstrap), give the engine access to an image "
    "registry, set TACHO_BASES=official or TACHO_BASES=debian if you know better, or set "
    "TACHO_RUNTIME=process to run services without Docker."
)


@dataclass(frozen=True)
class BasesChoice:
    """The source of base images; `reason` is a sentence."""

    flavour: Flavour
    reason: str


@dataclass(frozen=True)
class RuntimeChoice:
    """The runtime of services and why; `flavour` is None if no base images are used."""

    kind: RuntimeKind
    flavour: Flavour | None
    reason: str


def choose_runtime(settings: Settings) -> RuntimeChoice:
    """Return the runtime that the settings name, or else the best that this machine offers.

    Raises:
        RuntimeUnavailable: TACHO_RUNTIME=docker, and Docker cannot be used here.
        ManifestInvalid: the catalogue is wrong.
    """
    if settings.runtime == "process":
        return RuntimeChoice(RuntimeKind.PROCESS, None, "TACHO_RUNTIME=process is set.")
    needed = Catalogue(settings.services_dir).list_bases()
    try:
        with connect() as engine:
            check_linux(engine)
            bases = choose_bases(settings.bases, settings.services_dir / "bases", needed, engine)
    except RuntimeUnavailable as error:
        if settings.runtime == "docker":
            raise
        return RuntimeChoice(RuntimeKind.PROCESS, None, error.reason)
    return RuntimeChoice(RuntimeKind.DOCKER, bases.flavour, bases.reason)


def describe_choice(kind: RuntimeKind, flavour: Flavour | None) -> str:
    """Return the choice as a phrase, without its reason."""
    if kind is RuntimeKind.PROCESS:
        return "Services run as processes, without Docker"
    bases = "built from Debian packages" if flavour == "debian" else "from the image registry"
    return f"Services run in Docker, on base images {bases}"


def load_bases(settings: Settings, choice: RuntimeChoice) -> Bases | None:
    """Return the base images of the chosen runtime; None for processes."""
    if choice.flavour is None:
        return None
    pins = BasePins.of(settings.data)
    return Bases.load(settings.services_dir / "bases", choice.flavour, pins)


def choose_bases(
    wanted: Literal["auto"] | Flavour, folder: Path, needed: Collection[str], engine: EngineClient
) -> BasesChoice:
    """Return the source from which this engine gets the base images `needed`.

    Raises:
        RuntimeUnavailable: nothing offers them.
    """
    if wanted != "auto":
        return BasesChoice(wanted, f"TACHO_BASES={wanted} is set.")
    missing = _list_missing(engine, Bases.load(folder, "official"), needed)
    if not missing:
        return BasesChoice("official", "The Docker engine has all official base images.")
    fault = find_registry_fault(engine, missing)
    if not fault:
        return BasesChoice("official", "An image registry answers the Docker engine.")
    if shutil.which("mmdebstrap"):
        return BasesChoice("debian", f"{_capitalized(fault)}, and mmdebstrap is installed.")
    if not _list_missing(engine, Bases.load(folder, "debian"), needed):
        return BasesChoice(
            "debian",
            f"{_capitalized(fault)}, and the engine has base images built from Debian packages.",
        )
    raise RuntimeUnavailable(
        f"There are no base images for Docker: {fault}, and mmdebstrap is not installed.", _FIX
    )


def _list_missing(engine: EngineClient, bases: Bases, needed: Collection[str]) -> list[str]:
    return list_missing_images(engine, (bases.reference(name) for name in needed))


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
