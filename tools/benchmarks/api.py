"""A client of Tacho's REST API, as in a user's script."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import httpx

ENDS = frozenset({"succeeded", "failed", "cancelled"})
_STAGE_POLL_SECONDS = 0.05
# The run is measured meanwhile, and requests would disturb it. The pause grows with elapsed time.
_RUN_POLL_SECONDS = 2.0
_LONGEST_POLL_SECONDS = 15.0

Document = dict[str, Any]


@dataclass(frozen=True)
class StreamEvent:
    """A server-sent event of a run."""

    name: str
    data: Document


class ApiClient:
    """The calls of an installation. Each response without success raises httpx.HTTPStatusError."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(
            base_url=f"{url}/api/v1",
            timeout=httpx.Timeout(10.0, read=30.0),
            # The server closes idle connections after 5 s.
            limits=httpx.Limits(keepalive_expiry=2.0),
            trust_env=False,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def get(self, path: str, **query: str) -> Document:
        """Return the JSON document at a path such as `/health`."""
        return self._read(self._client.get(path, params=query))

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Document:
        """Return the response to a JSON body, or to an empty body."""
        return self._read(self._client.post(path, json=body))

    def delete(self, path: str) -> None:
        """Delete what is at a path such as `/runs/{id}`."""
        answer = self._client.delete(path)
        _check(answer)

    def get_run(self, run: Document) -> Document:
        """Return the current state of the run."""
        return self.get(f"/runs/{run['id']}")

    def cancel_run(self, run: Document) -> Document:
        """Cancel a run."""
        return self.post(f"/runs/{run['id']}/cancel")

    def await_run(
        self, run: Document, timeout_s: float, watch: Callable[[Document], None] | None = None
    ) -> Document:
        """Return the run when it has ended. Raises TimeoutError.

        Args:
            watch: called with each state of the run that was read.
        """
        return self.await_stage(run, ENDS, timeout_s, of_run=True, watch=watch)

    def await_success(self, run: Document, timeout_s: float) -> Document:
        """Return the run when it has succeeded. Raises TimeoutError.

        Raises:
            RuntimeError: it ended in another way.
        """
        ended = self.await_run(run, timeout_s)
        if ended["status"] != "succeeded":
            raise RuntimeError(f"A run did not succeed: {describe(ended)}")
        return ended

    def await_stage(
        self,
        run: Document,
        statuses: frozenset[str],
        timeout_s: float,
        *,
        of_run: bool = False,
        watch: Callable[[Document], None] | None = None,
    ) -> Document:
        """Return the run when it, or one of its trials, has one of these statuses.

        Args:
            of_run: whether the statuses are those of the run.
            watch: called with each state of the run that was read.

        Raises:
            TimeoutError: it took longer, or the run ended without such a status.
        """
        begin = time.monotonic()
        deadline = begin + timeout_s
        while True:
            current = self.get_run(run)
            if watch is not None:
                watch(current)
            seen = (
                {current["status"]} if of_run else {trial["status"] for trial in current["trials"]}
            )
            if seen & statuses:
                return current
            if time.monotonic() > deadline or current["status"] in ENDS:
                raise TimeoutError(f"Waited for {sorted(statuses)}; got {describe(current)}.")
            elapsed = time.monotonic() - begin
            pause = min(max(_RUN_POLL_SECONDS, elapsed / 20), _LONGEST_POLL_SECONDS)
            time.sleep(pause if of_run else _STAGE_POLL_SECONDS)

    def follow(self, run: Document) -> Iterator[StreamEvent]:
        """Yield all events of a run until its stream ends."""
        with self._client.stream("GET", f"/runs/{run['id']}/events") as answer:
            answer.raise_for_status()
            name = ""
            for line in answer.iter_lines():
                key, _, value = line.partition(": ")
                if key == "event":
                    name = value
                elif key == "data":
                    yield StreamEvent(name, json.loads(value))

    def _read(self, answer: httpx.Response) -> Document:
        _check(answer)
        document: Document = answer.json()
        return document


def _check(answer: httpx.Response) -> None:
    if answer.is_error:
        raise httpx.HTTPStatusError(answer.text, request=answer.request, response=answer)


def describe(run: Document) -> str:
    """Describe a run and its trials in a few words, for messages."""
    trials = [
        f"{trial['status']} {(trial['failure'] or {}).get('detail', '')}".strip()
        for trial in run["trials"]
    ]
    return f"{run['status']}: {', '.join(trials)}"
