"""Check that a message about the end of each run arrives, and that repetitions can be detected."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from tools.benchmarks.receiver import Message, WebhookReceiver, receive
from tools.benchmarks.waiting import has_come
from tools.chaos.installation import ChaosInstallation

# If a dispatcher dies while it sends a message, another sends it again after a minute.
_TIMEOUT_S = 90.0
# Faults set the clock of the dispatcher, which writes the time of a message, by an hour.
_CLOCK_TOLERANCE_S = 3_900.0


class Webhooks:
    """A webhook of an installation. Its receiver is in this process."""

    def __init__(self, receiver: WebhookReceiver) -> None:
        self._receiver = receiver
        self._run_ids: list[str] = []

    def expect(self, run_id: str) -> None:
        """Expect a message about the end of this run."""
        self._run_ids.append(run_id)

    def list_violations(self) -> list[str]:
        """Wait until all expected messages have arrived, and return what is wrong with them."""
        expected = set(self._run_ids)
        has_come(lambda: expected <= set(map(read_run_id, self._receiver.messages)), _TIMEOUT_S)
        return check_messages(self._run_ids, self._receiver.messages)


@contextmanager
def receive_webhooks(installation: ChaosInstallation) -> Iterator[Webhooks]:
    """Subscribe a receiver to the ends of runs inside the context."""
    with receive(_CLOCK_TOLERANCE_S, installation.webhook_port) as receiver:
        receiver.secret = installation.create_webhook(receiver.url, "run.finished")
        yield Webhooks(receiver)


def read_run_id(message: Message) -> str:
    """Return the id of the run that a message is about."""
    return str(message.body["data"]["run"]["id"])


def check_messages(run_ids: Iterable[str], messages: Sequence[Message]) -> list[str]:
    """Return the runs without a message, and the messages that a receiver would handle wrongly.

    A repeated message has the id and the body of the first.
    """
    found = [
        f"webhook about run {read_run_id(message)}: {message.problem}"
        for message in messages
        if message.problem
    ]
    by_run = defaultdict(list)
    for message in messages:
        by_run[read_run_id(message)].append(message)
    for run_id in run_ids:
        own = by_run[run_id]
        ids = {message.id for message in own}
        if not own:
            found.append(f"no webhook about run {run_id}")
        elif len(ids) > 1:
            found.append(f"webhooks about run {run_id} have {len(ids)} ids")
        elif any(message.body != own[0].body for message in own):
            found.append(f"webhook {own[0].id} was repeated with another body")
    return found
