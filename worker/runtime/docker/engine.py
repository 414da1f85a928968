"""The connection to the container engine, and its errors as Tacho's errors."""

import logging
import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from weakref import WeakSet

import docker
import docker.errors
import requests
from docker.constants import DEFAULT_UNIX_SOCKET
from docker.types import CancellableStream
from docker.utils import kwargs_from_env
from docker.utils.config import load_general_config
from docker.utils.proxy import ProxyConfig
from urllib3.exceptions import HTTPError

from worker.runtime.errors import ProgramMissing, RuntimeFailure, RuntimeUnavailable

_log = logging.getLogger(__name__)
_NO_PROGRAM = re.compile(
    r'exec: "(?P<program>[^"]+)": .*(not found|no such file|permission denied)'
)
_DISK_FULL = "no space left on device"
_MIN_API = (1, 41)
_TIMEOUT_S = 60
# gVisor then uses the network namespace of the container, which is that of the pod.
_SHARED_NETWORK = "--network=host"
_FIX = "Start Docker, or point DOCKER_HOST at an engine; or use the process runtime."

LABEL_RUN = "tacho.run"
LABEL_TRIAL = "tacho.trial"
LABEL_ATTEMPT = "tacho.attempt"
LABEL_ROLE = "tacho.role"
# The guard of the worker that made the container (`backend.platform.processes.guard`).
LABEL_GUARD = "tacho.guard"


# Bytes of stdout and of stderr.
Output = tuple[bytes | None, bytes | None]


class EngineClient(docker.APIClient):
    """The SDK's low-level client, with streams that another thread can close."""

    def __init__(self) -> None:
        given = kwargs_from_env()
        super().__init__(version="auto", timeout=_TIMEOUT_S, **given)
        proxies = load_general_config().get("proxies", {})
        own = proxies.get(given.get("base_url"), proxies.get("default", {}))
        # The proxies of `~/.docker/config.json`, which builds receive as these variables.
        self.container_proxies = {
            name: str(url) for name, url in ProxyConfig.from_dict(own).get_environment().items()
        }
        self._responses: WeakSet[requests.Response] = WeakSet()
        self._responses_lock = threading.Lock()
        self._streams_closed = False
        self._newest = threading.local()
        self.hooks["response"].append(self._remember)

    @contextmanager
    def timeout_of(self, seconds: float) -> Iterator[None]:
        """Allow an answer to take this long within the context, instead of a minute."""
        normal_s = self.timeout
        self.timeout = seconds  # type: ignore[assignment]
        try:
            yield
        finally:
            self.timeout = normal_s

    def limit_processes(self, container: str, most: int) -> None:
        """Limit the processes of a container; the SDK has no argument for it.

        Raises:
            requests.RequestException: there is no such container, or the engine cannot do it.
        """
        url = f"{self.base_url}/v{self.api_version}/containers/{container}/update"
        self.post(url, json={"PidsLimit": most}, timeout=self.timeout).raise_for_status()

    def start_command(self, exec_id: str) -> "tuple[CancellableStream[Output], requests.Response]":
        """Start a command in a container; return its output, and the response to `shut` after it.

        Raises:
            docker.errors.APIError: the container is gone, or the engine refuses it.
        """
        output = self.exec_start(exec_id, stream=True, demux=True)
        return output, self._newest.response

    def close_streams(self) -> None:
        """End all present and later streams of this connection; the engine then stops the build."""
        with self._responses_lock:
            self._streams_closed = True
            responses = list(self._responses)
        for response in responses:
            shut(response)

    def close(self) -> None:
        """Close every socket, also of streams that were not read to their end."""
        self.close_streams()
        super().close()

    def _remember(self, response: requests.Response, *, stream: bool = False, **_: object) -> None:
        """Remember the response of a stream, so that it can be closed."""
        if not stream:
            return
        self._newest.response = response
        with self._responses_lock:
            self._responses.add(response)
            closed = self._streams_closed
        if closed:
            shut(response)


def shut(response: requests.Response) -> None:
    """End the stream of a response and close its socket. Any thread may call this."""
    with suppress(OSError, AttributeError):  # the stream has ended by itself
        CancellableStream(iter(()), response).close()
    # The SDK closes the socket, but not the connection that owns it.
    response.close()


def connect() -> EngineClient:
    """Return a new connection; raises `RuntimeUnavailable` with the fix."""
    try:
        engine = EngineClient()
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        _log.warning(
            "no Docker engine answers: %s", str(error)
        )  # not the error itself: its frames hold a socket
        where = os.environ.get("DOCKER_HOST") or DEFAULT_UNIX_SOCKET.removeprefix("http+")
        raise RuntimeUnavailable(f"No Docker engine answers at {where}.", _FIX) from error
    version = tuple(int(part) for part in str(engine.api_version).split(".")[:2])
    if version < _MIN_API:
        engine.close()
        raise RuntimeUnavailable(
            f"The Docker engine's API {engine.api_version} is too old.",
            "Install Docker 20.10 or newer.",
        )
    return engine


def check_linux(engine: EngineClient) -> None:
    """Raise `RuntimeUnavailable` unless the engine runs Linux containers."""
    with engine_errors("Asking the engine for its system"):
        system = engine.info()["OSType"]
    if system != "linux":
        raise RuntimeUnavailable(
            f"The Docker engine runs {system} containers.", "Switch it to Linux containers."
        )


def check_container_runtime(engine: EngineClient, wanted: str) -> None:
    """Raise `RuntimeUnavailable` unless the engine can run services with this runtime."""
    with engine_errors("Asking the engine for its runtimes"):
        known = engine.info().get("Runtimes") or {}
    if fault := find_runtime_fault(known, wanted):
        raise fault


def find_runtime_fault(
    known: Mapping[str, Mapping[str, object]], wanted: str
) -> RuntimeUnavailable | None:
    """Return why services cannot run with gVisor; None if they can.

    Args:
        known: the engine's runtimes by name, as `docker info` returns them.
        wanted: `runsc`, or another name of gVisor's runtime.
    """
    if wanted not in known:
        return RuntimeUnavailable(
            f"TACHO_CONTAINER_RUNTIME={wanted}, but the Docker engine has no such runtime; it has "
            f"{', '.join(sorted(known))}.",
            "Install it in the engine, or leave TACHO_CONTAINER_RUNTIME empty.",
        )
    # A runtime without a path is configured by its type; then its arguments are not known.
    if known[wanted].get("path") and _SHARED_NETWORK not in str(known[wanted].get("runtimeArgs")):
        return RuntimeUnavailable(
            f"TACHO_CONTAINER_RUNTIME={wanted}, but {wanted} gives each container a network stack "
            "of its own, so nothing in a pod can reach the service.",
            f'Add "runtimeArgs": ["{_SHARED_NETWORK}"] to {wanted} in /etc/docker/daemon.json, and '
            "reload the engine.",
        )
    return None


def find_memory_fault(info: Mapping[str, object]) -> str:
    """Return why the engine ignores limits of memory; empty if it applies them.

    Args:
        info: as `docker info` returns it.
    """
    if info.get("MemoryLimit", True):
        return ""
    return "the container engine reports that it cannot limit memory on this host"


@contextmanager
def engine_errors(what: str) -> Iterator[None]:
    """Turn the SDK's errors into `RuntimeFailure` with the operation that failed."""
    try:
        yield
    except docker.errors.APIError as error:
        _log.warning("%s failed: %s", what, error)
        raise _explain(what, str(error.explanation or "")) from error
    # A stream that breaks raises the errors of urllib3.
    except (docker.errors.DockerException, requests.RequestException, HTTPError) as error:
        _log.warning("%s failed: %s", what, error)
        raise RuntimeFailure(
            f"{what} failed: the container engine does not answer. The worker's log has the "
            "details."
        ) from error


def _explain(what: str, answer: str) -> RuntimeFailure:
    """Return the engine's answer as a sentence."""
    if missing := _NO_PROGRAM.search(answer):
        return ProgramMissing(f"its image has no program {missing['program']} that can be run.")
    if _DISK_FULL in answer:
        return RuntimeFailure(f"{what} failed: the disk of the container engine is full.")
    return RuntimeFailure(
        f"{what} failed: the container engine refused it. The worker's log has its answer."
    )


def has_container(container: str) -> bool:
    """Return whether the engine has this container, running or not."""
    with connect() as engine, engine_errors("Listing containers"):
        return bool(engine.containers(all=True, filters={"id": container}))
