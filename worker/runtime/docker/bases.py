"""The base images of services: official references, or equivalents built from Debian packages.

If the engine reaches no image registry, each base is built once per engine from `services/bases/`
and tagged with a digest of its content. `worker.runtime.choice` chooses between the two.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from backend.core.config import get_settings
from backend.core.errors import ManifestInvalid
from backend.platform.processes.guard import guard_command
from worker.runtime.building import BoundedLog, read_lines_or_wait
from worker.runtime.docker.build_network import open_engine_network
from worker.runtime.docker.engine import EngineClient, engine_errors
from worker.runtime.docker.images import build_from_memory, find_image
from worker.runtime.docker.pins import BasePins
from worker.runtime.docker.stored import BASE_REPOSITORY
from worker.runtime.errors import BuildFailed, RuntimeUnavailable

Flavour = Literal["official", "debian"]
OnLog = Callable[[str], None]

_ROOT = "root"
_FOUNDATION = "debian"
_DIGEST_CHARACTERS = 16
# How often to check whether a program that writes nothing must stop.
_QUIET_S = 5.0
_END_S = 10.0
_AUTHORITIES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)


@dataclass(frozen=True)
class BaseRecipe:
    """A base image: official reference, and the folder of its Debian-built equivalent, if any."""

    name: str
    official: str
    folder: Path | None

    @property
    def variable(self) -> str:
        """Return the build argument for its reference, such as `BASE_JAVA_RUN`."""
        return "BASE_" + self.name.upper().replace("-", "_")


@dataclass(frozen=True)
class Bases:
    """The bases of `services/bases/`, all of the same flavour.

    `pins` has the digests of official bases; without it, they are used by their tags.
    """

    bases: dict[str, BaseRecipe]
    flavour: Flavour
    suite: str
    pins: BasePins | None = None

    @classmethod
    def load(cls, folder: Path, flavour: Flavour, pins: BasePins | None = None) -> "Bases":
        """Read `bases.toml` in that folder.

        Raises:
            ManifestInvalid: naming the file and what is wrong with it.
        """
        path = folder / "bases.toml"
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
            suite = document["root"]["suite"]
            bases = {
                name: BaseRecipe(
                    name, table["official"], folder / table["debian"] if "debian" in table else None
                )
                for name, table in document["bases"].items()
            }
        except FileNotFoundError as error:
            raise ManifestInvalid(f"{path}: the file is missing; add it.") from error
        except tomllib.TOMLDecodeError as error:
            raise ManifestInvalid(f"{path}: not valid TOML: {error}.") from error
        except KeyError as error:
            raise ManifestInvalid(f"{path}: the key {error} is missing; add it.") from error
        for base in bases.values():
            if base.folder is not None and not (base.folder / "Dockerfile").is_file():
                raise ManifestInvalid(
                    f"{path}: bases.{base.name}.debian: {base.folder} has no Dockerfile; add it."
                )
        return cls(bases, flavour, suite, pins)

    def get(self, name: str) -> BaseRecipe:
        """Return the base of this name; raises ManifestInvalid if there is none."""
        if name not in self.bases:
            known = ", ".join(self.bases)
            raise ManifestInvalid(f"There is no base {name!r} in bases.toml; there are {known}.")
        return self.bases[name]

    def reference(self, name: str) -> str:
        """Return the reference for FROM in a Dockerfile.

        For a built base it has a digest, and for an official base after `pin`.
        """
        base = self.get(name)
        if not self._is_built(name) or base.folder is None:
            pinned = self.pins.find(base.official) if self.pins else None
            return pinned or base.official
        return f"{BASE_REPOSITORY}/{name}:{self._digest(base.folder)}"

    def pin(self, names: Iterable[str]) -> None:
        """Resolve the tags of official bases, each once per host.

        Raises:
            RuntimeUnavailable: no engine answers, or the registry does not.
        """
        if self.flavour == "official" and self.pins is not None:
            self.pins.ensure(self.get(name).official for name in names)

    def list_built(self, names: Iterable[str]) -> list[str]:
        """Return the references of the images that `ensure` builds for these bases."""
        own = [name for name in names if self._is_built(name)]
        if not own:
            return []
        return [self._root, *(self.reference(name) for name in dict.fromkeys([_FOUNDATION, *own]))]

    @property
    def _root(self) -> str:
        return f"{BASE_REPOSITORY}/{_ROOT}:{self.suite}"

    def _is_built(self, name: str) -> bool:
        return self.flavour == "debian" and self.get(name).folder is not None

    def ensure(self, engine: EngineClient, name: str, on_log: OnLog) -> None:
        """Build a base from Debian packages if the engine does not have it; skip official bases.

        An exception raised by `on_log` stops it.

        Raises:
            BuildFailed: with the log's tail.
            RuntimeUnavailable: mmdebstrap is not installed, with the fix.
        """
        base = self.get(name)
        reference = self.reference(name)
        if not self._is_built(name) or find_image(engine, reference) is not None:
            return
        assert base.folder is not None
        build_arguments = {}
        files: dict[str, bytes] = {}
        if name == _FOUNDATION:
            build_arguments["BASE_ROOT"] = self._ensure_root(engine, on_log)
            files["authorities.pem"] = _read_authorities()
        else:
            self.ensure(engine, _FOUNDATION, on_log)
            build_arguments[self.get(_FOUNDATION).variable] = self.reference(_FOUNDATION)
        on_log(
            f"Building the base image {reference} from Debian packages: minutes, once per engine."
        )
        files |= {path.name: path.read_bytes() for path in sorted(base.folder.iterdir())}
        network = open_engine_network(engine)
        build_from_memory(
            engine,
            reference,
            files,
            on_log,
            buildargs={**build_arguments, **network.variables},
            network_mode=network.mode,
            use_config_proxy=True,
        )

    def _digest(self, folder: Path) -> str:
        foundation = self.get(_FOUNDATION).folder
        total = hashlib.sha256(self.suite.encode())
        for part in dict.fromkeys([foundation, folder]):
            for path in sorted(part.iterdir()) if part else ():
                total.update(
                    f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
                )
        return total.hexdigest()[:_DIGEST_CHARACTERS]

    def _ensure_root(self, engine: EngineClient, on_log: OnLog) -> str:
        reference = self._root
        if find_image(engine, reference) is not None:
            return reference
        mmdebstrap = shutil.which("mmdebstrap")
        if mmdebstrap is None:
            raise RuntimeUnavailable(
                "Base images built from Debian packages need mmdebstrap, which is not installed.",
                "Install it (apt-get install mmdebstrap), or set TACHO_BASES=official.",
            )
        on_log(f"Making a Debian {self.suite} file system with mmdebstrap: about a minute, once.")
        with tempfile.TemporaryDirectory(prefix="tacho-root-") as scratch:
            archive = Path(scratch, "root.tar")
            command = [mmdebstrap, "--variant=apt", "--include=ca-certificates"]
            _run([*command, self.suite, str(archive)], on_log)
            repository = f"{BASE_REPOSITORY}/{_ROOT}"
            with (
                engine_errors(f"Importing {reference}"),
                engine.timeout_of(get_settings().build_seconds),
            ):
                engine.import_image_from_file(str(archive), repository, self.suite)
        return reference


def _read_authorities() -> bytes:
    """Return the host's trusted certificates as PEM; raises RuntimeUnavailable."""
    for candidate in (os.environ.get("SSL_CERT_FILE", ""), *_AUTHORITIES):
        if candidate and Path(candidate).is_file():
            return Path(candidate).read_bytes()
    raise RuntimeUnavailable(
        "No file of trusted certificate authorities was found.",
        "Install ca-certificates, or point SSL_CERT_FILE at such a file.",
    )


def _run(command: Sequence[str], on_log: OnLog) -> None:
    """Run a program to its end. If `on_log` raises, stop the program and all that it started."""
    log = BoundedLog()
    process = subprocess.Popen(
        guard_command(command, grace_s=_END_S),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    with process.stdout:
        try:
            for line in read_lines_or_wait(process.stdout, _QUIET_S):
                shown = f"{command[0]} is still at work" if line is None else line
                on_log(shown)
                log.write(shown)
        except BaseException:
            _end(process)
            raise
    if process.wait() != 0:
        raise BuildFailed(f"{command[0]} ended with {process.returncode}.", log.text)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Let a program remove its unfinished file system. Its guard then kills what remains."""
    process.terminate()
    process.wait()
