"""Waits until a service in a pod answers its health check."""

from collections.abc import Mapping

from backend.core.config import get_settings
from backend.core.statuses import TrialStatus
from worker.loadgen.command import ready_command
from worker.loadgen.output import await_exit, explain_death, read_lines
from worker.loadgen.parse import PollingLine, ReadyFailedLine, ReadyLine
from worker.runtime.base import Pod
from worker.runtime.errors import StartFailed
from worker.stages.diagnosis import check_parts
from worker.stages.watch import Watch

_POLL_SECONDS = 0.2
# Extra time, because the load generator ends its wait by itself.
_SLACK_SECONDS = 30.0


class ReadinessWait:
    """A command in the pod that polls a service until it is ready, and may send a first request."""

    def __init__(
        self,
        pod: Pod,
        target: str,
        *,
        first_path: str | None = None,
        first_body: str | None = None,
        ready_path: str = "/health",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Begin to poll.

        Args:
            target: URL of the service.
            first_path: requested once the service is ready, and timed; None requests nothing.
            first_body: JSON to post there; None sends a GET.
            ready_path: answers 200 once the service is ready.
            environment: environment of the command, for the first request.
        """
        self._pod = pod
        self._seconds = get_settings().ready_seconds
        command = ready_command(
            "k6",
            f"{target}{ready_path}",
            None if first_path is None else f"{target}{first_path}",
            first_body,
            timeout_s=self._seconds,
        )
        self._execution = pod.execute(command, environment or {})
        self._lines = read_lines(self._execution)

    def await_polling(self) -> None:
        """Wait until the poll runs, so that a fast service's boot is timed to the millisecond."""
        if not isinstance(next(self._lines, None), PollingLine):
            raise explain_death(await_exit(self._execution), self._execution)

    def await_ready(self, name: str, watch: Watch) -> ReadyLine:
        """Return the report about the service `name` once it is ready.

        Raises:
            StartFailed: the service ended, or was not ready in time; with its output.
            BackingServiceDied: a backing service ended.
        """
        watch.set_deadline(self._seconds + _SLACK_SECONDS)
        end = None
        while end is None:
            watch.check()
            try:
                end = self._execution.wait(_POLL_SECONDS)
            except TimeoutError:
                if not self._pod.is_running(name):
                    self._execution.interrupt()
                    check_parts(self._pod, TrialStatus.STARTING)
        watch.set_deadline(None)
        for line in self._lines:
            if isinstance(line, ReadyLine):
                return line
            if isinstance(line, ReadyFailedLine):
                raise StartFailed(
                    f"{name} was not ready after {self._seconds} s: {line.reason}",
                    self._pod.logs(name),
                )
        watch.check()
        raise explain_death(end, self._execution)
