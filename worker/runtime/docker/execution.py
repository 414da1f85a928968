"""Runs a command in the holder of a pod and reads its output from the engine's stream."""

import logging
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence

import docker.errors
import requests

from worker.runtime.docker.engine import EngineClient, engine_errors, shut
from worker.runtime.docker.holder import BINARY
from worker.runtime.errors import PodLost, RuntimeFailure
from worker.runtime.exit import Exit
from worker.runtime.output import STDERR_TAIL_BYTES, LineStream, Tail

_log = logging.getLogger(__name__)
MARK = "TACHO_EXECUTION"
# The engine writes this in place of output if it cannot start the command.
_REFUSAL = b"OCI runtime exec failed"
_SETTLE_S = 2.0
_POD_GONE = (404, 409)


class DockerExecution:
    """Implements `worker.runtime.base.Execution` with the engine's exec."""

    def __init__(
        self,
        engine: EngineClient,
        holder_id: str,
        command: Sequence[str],
        environment: Mapping[str, str],
    ) -> None:
        self._engine = engine
        self._holder_id = holder_id
        self._mark = secrets.token_hex(8)
        self._stdout = LineStream()
        self._stderr = Tail(STDERR_TAIL_BYTES)
        self._has_begun = False
        self._refusal = ""
        self._is_broken = False
        with engine_errors("Running the load generator in the trial's container"):
            created = engine.exec_create(
                holder_id, list(command), environment={**environment, MARK: self._mark}
            )
            self._exec_id: str = created["Id"]
            self._output, self._response = engine.start_command(self._exec_id)
        self._reader = threading.Thread(target=self._read, name="execution-output", daemon=True)
        self._reader.start()

    def lines(self) -> Iterator[str]:
        """Yield the lines of stdout as they arrive."""
        return self._stdout.lines()

    def interrupt(self) -> None:
        """Send SIGINT."""
        self._signal("INT")

    def finish(self) -> None:
        """Send SIGUSR1: a load ends once its requests are answered."""
        self._signal("USR1")

    def _signal(self, name: str) -> None:
        """Send a signal from inside the pod, so that it works with a remote engine too.

        Tries again if the command has only just begun and cannot be found yet.
        """
        deadline = time.monotonic() + _SETTLE_S
        while self._reader.is_alive() and time.monotonic() < deadline:
            if self._try_signal(name):
                return

    def _try_signal(self, name: str) -> bool:
        """Return True if the command got the signal, or the pod is gone."""
        with engine_errors("Signalling a command"):
            try:
                created = self._engine.exec_create(
                    self._holder_id, [BINARY, "signal", name, f"{MARK}={self._mark}"]
                )
                self._engine.exec_start(created["Id"])
                return bool(self._engine.exec_inspect(created["Id"])["ExitCode"] == 0)
            except docker.errors.APIError as error:
                if error.status_code in _POD_GONE:
                    return True
                raise

    def wait(self, timeout_s: float) -> Exit:
        """Return how the command ended; raises `TimeoutError`, `PodLost`, `RuntimeFailure`."""
        self._reader.join(timeout_s)
        if self._reader.is_alive():
            raise TimeoutError(f"The command still runs after {timeout_s} s.")
        deadline = time.monotonic() + _SETTLE_S
        while (code := self._find_exit_code()) is None:
            if time.monotonic() > deadline:
                if self._is_broken:
                    raise RuntimeFailure("The connection to the container engine was lost.")
                raise TimeoutError("The command's output ended, but the command has not.")
            time.sleep(0.005)
        if self._refusal:
            _log.warning("docker exec failed: %s", self._refusal)
            raise RuntimeFailure(
                "The container engine could not run the load generator in the trial's container. "
                "The worker's log has the engine's message."
            )
        return Exit.from_code(code)

    @property
    def stderr(self) -> str:
        """Return the tail of stderr so far."""
        return self._stderr.text

    def _find_exit_code(self) -> int | None:
        """Return the exit code; None until the engine has it, shortly after the output ends."""
        with engine_errors("Asking for an exit code"):
            try:
                state = self._engine.exec_inspect(self._exec_id)
            except docker.errors.NotFound:
                raise PodLost(
                    "The container in which the load generator ran was removed."
                ) from None
        return None if state["Running"] else int(state["ExitCode"])

    def _read(self) -> None:
        try:
            for stdout, stderr in self._output:
                if stdout and not self._has_begun and stdout.lstrip().startswith(_REFUSAL):
                    self._refusal = stdout.decode(errors="replace").strip()
                elif stdout:
                    self._has_begun = True
                    self._stdout.write(stdout)
                if stderr:
                    self._stderr.write(stderr)
        except (OSError, requests.RequestException) as error:
            _log.warning("the engine's stream of a command was lost: %s", error)
            self._is_broken = True
        finally:
            shut(self._response)
            self._stdout.close()
