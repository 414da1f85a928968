"""Run a guard on a bench host of a running Tacho: send both versions, and wait for the verdict."""

import time
from collections.abc import Collection
from http import HTTPStatus
from pathlib import Path

import httpx

from backend.addresses import API_ROOT, guard_page
from backend.core.documents import JsonObject
from backend.core.errors import InvalidRequest, ManifestInvalid, NotFound, TachoError, TooLarge
from backend.core.results.guard.document import GuardOptions, GuardReport, ServiceVersion
from backend.core.units import RuntimeKind
from cli.client import ExitCode, ask, get_address, read_answer
from cli.console import fail
from worker.guard.checks import GuardDisplay
from worker.guard.measuring import NotMeasurable
from worker.guard.sources import pack_source

_GUARDS = f"{API_ROOT}/guards"
# More requests would cost the host CPU time while it measures.
_POLL_SECONDS = 5.0
# A Tacho that starts again answers by then.
_MOST_UNANSWERED = 60
_SEND_SECONDS = 180.0
# The errors that end the command with another exit code than 1.
_ERRORS: dict[str, type[TachoError]] = {
    error.code: error
    for error in (NotMeasurable, InvalidRequest, ManifestInvalid, NotFound, TooLarge)
}


class RemoteGuard:
    """A guard on a bench host."""

    def __init__(self, client: httpx.Client, display: GuardDisplay, scratch: Path) -> None:
        """Send nothing yet.

        Args:
            scratch: an empty folder for archives.
        """
        self._client = client
        self._display = display
        self._scratch = scratch

    def run(
        self,
        service: str,
        versions: tuple[ServiceVersion, ServiceVersion],
        sources: tuple[Path, Path],
        options: GuardOptions,
        runtimes: Collection[RuntimeKind],
    ) -> tuple[GuardReport, str]:
        """Send both versions and wait; return the report, and the address of its page.

        A guard that is interrupted is cancelled.

        Args:
            options: `on` is the name of the host, or `any`.
            runtimes: where the service can run.

        Raises:
            TachoError: as `Guard.run`.
        """
        digests = [
            self._send(source, what) for source, what in zip(sources, ("base", "head"), strict=True)
        ]
        body = {
            **options.model_dump(mode="json"),
            "service": service,
            "base": versions[0].model_dump(mode="json"),
            "head": versions[1].model_dump(mode="json"),
            "base_source": digests[0],
            "head_source": digests[1],
            "runtimes": sorted(runtimes),
        }
        path = f"{_GUARDS}/requests/{ask(self._client, 'POST', f'{_GUARDS}/requests', body)['id']}"
        try:
            ended = self._follow(path)
        except KeyboardInterrupt:
            ask(self._client, "POST", f"{path}/cancel")
            raise
        return self._read_result(ended)

    def _send(self, source: Path, what: str) -> str:
        """Send a version unless it is stored already, and return the digest of its archive."""
        archive = self._scratch / f"{what}.tar.gz"
        self._display.show(f"packing the {what}")
        digest = pack_source(source, archive)
        path = f"{_GUARDS}/sources/{digest}"
        answer = self._client.get(path)
        if answer.status_code == HTTPStatus.NOT_FOUND:
            self._display.show(f"sending the {what}")
            headers = {"Content-Type": "application/octet-stream"}
            answer = self._client.put(
                path, content=archive.read_bytes(), headers=headers, timeout=_SEND_SECONDS
            )
        read_answer(answer)
        return digest

    def _follow(self, path: str) -> JsonObject:
        """Return the requested guard when it has ended, and show how far it is until then."""
        shown = 0
        last = ""
        while True:
            guard = self._poll(path)
            for line in guard["progress"][shown:]:
                self._display.note(line)
            shown = len(guard["progress"])
            if guard["status"] not in {"queued", "running"}:
                return guard
            doing = f"{guard['host']}: {_describe(guard)}"
            self._display.show(doing, is_logged=doing != last)
            last = doing
            time.sleep(_POLL_SECONDS)

    def _poll(self, path: str) -> JsonObject:
        """Return the requested guard. A Tacho that does not answer for a moment is asked again."""
        for _ in range(_MOST_UNANSWERED):
            try:
                answer = self._client.get(path)
            except httpx.TransportError:
                answer = None
            if answer is not None and not _is_passing(answer.status_code):
                return read_answer(answer)
            self._display.show("waiting for Tacho, which does not answer")
            time.sleep(_POLL_SECONDS)
        return ask(self._client, "GET", path)

    def _read_result(self, guard: JsonObject) -> tuple[GuardReport, str]:
        if guard["status"] == "cancelled":
            fail("The guard was cancelled. Nothing was decided.", ExitCode.CANCELLED)
        if failure := guard["failure"]:
            raise _ERRORS.get(failure["code"], TachoError)(failure["detail"])
        stored = ask(self._client, "GET", f"{_GUARDS}/{guard['slug']}")
        self._client.base_url = self._client.base_url.copy_with(userinfo=b"")
        address = get_address(self._client, guard_page(guard["slug"]))
        return GuardReport.model_validate(stored["report"]), address


def _describe(guard: JsonObject) -> str:
    if guard["status"] == "queued":
        reason = guard["waits_for"]
        return f"queued, because {reason}" if reason else "queued"
    return guard["doing"] or "running"


def _is_passing(status: int) -> bool:
    return status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.TOO_MANY_REQUESTS
