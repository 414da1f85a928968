"""The two Redis streams of a load host in a trial: signals to it, and reports from it.

The first entry of the signals is the order. The keys name both hosts, which alone may use them.
They exist only during the trial.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import redis
from pydantic import ValidationError

from backend.core.queue import LOAD_STREAM, LOAD_STREAM_KINDS, quote_queue
from worker.remote.messages import REPORTS, Failed, LoadOrder, Report, Signal

# Without renewal by the service's host, a load host stops after this time.
SIGNALS_TTL_SECONDS = 15
# A load host reports a line per second; many more than this never wait.
_MOST_REPORTS = 20_000
_REPORTS_AT_ONCE = 100
# A line holds the counts and the histograms of a second.
_MOST_REPORT_BYTES = 4_000_000
_SIGNALS = {signal.encode(): signal for signal in Signal}
_ORDER, _SIGNAL, _REPORT = b"order", b"signal", b"report"

_Text = bytes | str | memoryview
# Redis answers: for each stream its name and its entries, each an id and its fields.
_Answer = Sequence[tuple[bytes, Iterable[tuple[bytes, Mapping[bytes, bytes]]]]]


def signals_key(service_host: str, load_host: str, load_id: str) -> str:
    """Return the key of the stream of signals to a load host."""
    return _key(service_host, load_host, load_id, LOAD_STREAM_KINDS[0])


def reports_key(service_host: str, load_host: str, load_id: str) -> str:
    """Return the key of the stream of reports of a load host."""
    return _key(service_host, load_host, load_id, LOAD_STREAM_KINDS[1])


def _key(service_host: str, load_host: str, load_id: str, kind: str) -> str:
    return LOAD_STREAM.format(
        service_host=quote_queue(service_host),
        load_host=quote_queue(load_host),
        load_id=load_id,
        kind=kind,
    )


class ServiceChannel:
    """The streams of all load hosts of a trial, as the service's host uses them.

    Every method raises `redis.RedisError` when Redis does not answer.
    """

    def __init__(
        self, client: redis.Redis, service_host: str, load_hosts: Sequence[str], load_id: str
    ) -> None:
        self._client = client
        self._signals = [signals_key(service_host, name, load_id) for name in load_hosts]
        self._reports = [reports_key(service_host, name, load_id) for name in load_hosts]
        self._last: dict[_Text, _Text | int] = dict.fromkeys(self._reports, "0")

    def open(self, order: LoadOrder) -> None:
        """Create the streams of signals with the order."""
        content = order.model_dump_json()
        for key in self._signals:
            self._client.xadd(key, {_ORDER: content})
        self.renew()

    def renew(self) -> None:
        """Keep the streams for a further time."""
        for key in (*self._signals, *self._reports):
            self._client.expire(key, SIGNALS_TTL_SECONDS)

    def close(self) -> None:
        """Delete the streams, which stops the load hosts."""
        # One by one: a user's rights of both kinds of streams do not cover a command with both.
        for key in (*self._signals, *self._reports):
            self._client.delete(key)

    def send(self, signal: Signal, indexes: Iterable[int]) -> None:
        """Send a signal to load hosts by index, to all of them at once."""
        pipeline = self._client.pipeline(transaction=True)
        for index in indexes:
            pipeline.xadd(self._signals[index], {_SIGNAL: signal})
        pipeline.execute()

    def read(self, block_ms: int) -> list[tuple[int, Report]]:
        """Return new reports with the index of their load host; wait for at most `block_ms`.

        A report that is not valid is returned as `Failed`: the load host gave up, or is hostile.
        """
        answered = self._client.xread(self._last, count=_REPORTS_AT_ONCE, block=block_ms)
        answer = cast("_Answer", answered or [])
        found = []
        for name, entries in answer:
            key = name.decode()
            for entry_id, values in entries:
                self._last[key] = entry_id.decode()
                found.append((self._reports.index(key), _parse_report(values)))
        return found


class LoadHostChannel:
    """The streams of one load host, as it uses them itself.

    Every method raises `redis.RedisError` when Redis does not answer.
    """

    def __init__(
        self, client: redis.Redis, service_host: str, load_host: str, load_id: str
    ) -> None:
        self._client = client
        self._signals = signals_key(service_host, load_host, load_id)
        self._reports = reports_key(service_host, load_host, load_id)
        self._last = "0"

    def read_order(self) -> LoadOrder | None:
        """Return the order; None if the service's host does not want the load any more.

        Raises pydantic's ValidationError for an order of another version.
        """
        answer = cast("_Answer", self._client.xread({self._signals: "0"}, count=1) or [])
        for _, entries in answer:
            for entry_id, values in entries:
                self._last = entry_id.decode()
                return LoadOrder.model_validate_json(values.get(_ORDER, b""))
        return None

    def is_open(self) -> bool:
        """Return whether the service's host still wants the load."""
        return bool(self._client.exists(self._signals))

    def read(self, block_ms: int) -> list[Signal]:
        """Return new signals; wait for at most `block_ms`."""
        answered = self._client.xread(
            {self._signals: self._last}, count=_REPORTS_AT_ONCE, block=block_ms
        )
        answer = cast("_Answer", answered or [])
        found = []
        for _, entries in answer:
            for entry_id, values in entries:
                self._last = entry_id.decode()
                # The order is there twice if Redis did not answer the first time.
                if (signal := values.get(_SIGNAL)) in _SIGNALS:
                    found.append(_SIGNALS[signal])
        return found

    def report(self, report: Report) -> None:
        """Append a report."""
        fields = {_REPORT: report.model_dump_json()}
        pipeline = self._client.pipeline(transaction=False)
        pipeline.xadd(self._reports, fields, maxlen=_MOST_REPORTS, approximate=True)  # type: ignore[arg-type]
        pipeline.expire(self._reports, SIGNALS_TTL_SECONDS)
        pipeline.execute()


def _parse_report(values: Mapping[bytes, bytes]) -> Report:
    content = values.get(_REPORT, b"")
    if len(content) > _MOST_REPORT_BYTES:
        return Failed(detail=f"A load host sent a report of {len(content):,} bytes.")
    try:
        return REPORTS.validate_json(content)
    except ValidationError:
        return Failed(detail="A load host sent a report that is not valid.")
