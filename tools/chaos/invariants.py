"""The invariants after each fault, as pure functions from facts to violations."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from backend.core.documents import JsonObject
from backend.core.units import FailureCause
from tools.chaos.faults import SUCCESS, Action, Outcome, Target
from tools.chaos.load import DURATION_SECONDS
from tools.chaos.plan import Fault

Document = JsonObject

MOST_REPEATS = 2
LONGEST_RECOVERY_S = 60.0
# A measured stage takes its seconds and the last responses. The rest allows for a busy machine.
_MEASURING_SLACK_S = 4.0
# A service that is not ready after 45 s fails. A stopped worker notices the readiness late.
_LONGEST_BOOT_MS = 90_000
# Texts of drivers, libraries or the interpreter, which Tacho's messages must not contain.
_FOREIGN = re.compile(
    r"sqlalche|psycopg|OperationalError|InterfaceError|AdminShutdown|Traceback"
    r"|https?://(?!127\.|local)|http\+docker|urllib3|requests\.exceptions|docker\.errors"
    r"|redis\.exceptions|kombu|celery|OCI runtime|server closed the connection|<class "
    r"|0x[0-9a-f]{6}|Errno|Client Error|Server Error",
    re.IGNORECASE,
)
_SIGNAL = re.compile(r"SIGKILL|signal 9", re.IGNORECASE)
# Failures that are repeated; see `FailureCause`.
_REPEATED = frozenset({FailureCause.LOAD_GENERATOR, FailureCause.INFRASTRUCTURE})


@dataclass(frozen=True)
class TrialRecord:
    """A trial as the API shows it. Samples, latency and total are None unless it has succeeded.

    `controls` counts the control requests of the whole load, which have no latencies.
    """

    document: Document
    samples: Sequence[Document] | None = None
    latency: Document | None = None
    requests_total: int | None = None
    controls: int = 0


@dataclass(frozen=True)
class RunFacts:
    """A run after its end, and what it left behind.

    Attributes:
        hit_trial_id: the trial that the fault hit.
        followed_ids: ids of the events that a client with many reconnects received.
        all_ids: ids of the same stream, read after the end.
        read_failures: reads of results that failed while the fault lasted.
        recovery_s: time until the target served again; None if it need not.
    """

    run: Document
    trials: Sequence[TrialRecord]
    hit_trial_id: str
    is_finalized: bool = True
    remains: Sequence[str] = ()
    followed_ids: Sequence[str] = ()
    all_ids: Sequence[str] = ()
    stream_ended: bool = True
    read_failures: Sequence[str] = ()
    recovery_s: float | None = None


def read_outcome(trial: Document) -> Outcome:
    """Return the outcome of a trial: success, or the cause of its failure."""
    failure = trial["failure"]
    return FailureCause(failure["cause"]) if failure else SUCCESS


def list_violations(fault: Fault, facts: RunFacts) -> list[str]:
    """Return the violated invariants, in words."""
    found = _check_run(fault, facts)
    for trial in facts.trials:
        found += _check_trial(trial)
        is_hit = str(trial.document["id"]) == facts.hit_trial_id
        found += _check_hit(fault, trial.document) if is_hit else _check_spared(trial.document)
    found += _check_stream(fault, facts)
    found += [f"left behind: {item}" for item in facts.remains]
    if facts.recovery_s is not None and facts.recovery_s > LONGEST_RECOVERY_S:
        found.append(f"recovery took {facts.recovery_s:.1f} s")
    if not _takes_reads_away(fault):
        found += [f"results were not readable: {text}" for text in facts.read_failures[:2]]
    return found


def _check_run(fault: Fault, facts: RunFacts) -> list[str]:
    run = facts.run
    statuses = Counter(str(trial.document["status"]) for trial in facts.trials)
    found = []
    if run["status"] not in {"succeeded", "failed"}:
        found.append(f"the run has not ended: {run['status']}, trials {dict(statuses)}")
    elif (run["status"] == "failed") != bool(statuses["failed"]):
        found.append(f"the run is {run['status']} with trials {dict(statuses)}")
    if not facts.is_finalized:
        found.append("the run was not finalized")
    places = [(trial.document["cell_id"], trial.document["repetition"]) for trial in facts.trials]
    cells = [cell["id"] for cell in run["cells"]]
    expected = [(cell, repetition + 1) for cell in cells for repetition in range(fault.trials)]
    if sorted(places) != sorted(expected):
        found.append(f"trials lost or doubled: {len(places)} for {len(expected)}")
    return found


def _check_trial(trial: TrialRecord) -> list[str]:
    document = trial.document
    name = f"trial {document['repetition']}"
    found = [text for failure in document["retried_failures"] for text in check_message(failure)]
    if document["status"] == "failed":
        found += check_message(document["failure"] or {})
    elif document["status"] == "succeeded":
        found += check_numbers(trial)
    else:
        found.append(f"is {document['status']}")
    return [f"{name}: {text}" for text in found]


def check_message(failure: Document) -> list[str]:
    """Return the problems of a failure's message."""
    needed = ("title", "detail", "stage", "code")
    found = [
        f"the failure has no {key}" for key in needed if not str(failure.get(key) or "").strip()
    ]
    detail = str(failure.get("detail") or "")
    if re.search(r":\s*\.?\s*$", detail):
        found.append(f"the failure breaks off: {detail!r}")
    foreign = _FOREIGN.search(f"{failure.get('title')} {detail} {failure.get('evidence')}")
    if foreign:
        found.append(f"the failure has a library's text ({foreign.group()!r}): {detail[:200]!r}")
    return found


def check_numbers(trial: TrialRecord) -> list[str]:
    """Return the contradictions between seconds, total, histogram and metrics of a succeeded
    trial."""
    assert trial.samples is not None
    assert trial.latency is not None
    found = []
    measured = [sample for sample in trial.samples if sample["phase"] == "measure"]
    seconds = [sample["second"] for sample in measured]
    if seconds != list(range(DURATION_SECONDS)):
        found.append(f"its measured seconds are {seconds}")
    sent = sum(sample["requests"] for sample in measured)
    failed = sum(sample["failed"] for sample in measured)
    if sent != trial.requests_total:
        found.append(f"its seconds have {sent} requests, its total {trial.requests_total}")
    counted = trial.latency["count"] + trial.latency["failed"]
    if not (sent - trial.controls <= counted <= sent and trial.latency["failed"] <= failed):
        found.append(
            f"its histogram has {counted} requests, its seconds {sent}, with at most "
            f"{trial.controls} control requests"
        )
    boot_ms = trial.document["metrics"].get("boot_ms")
    if boot_ms is None or not 0 < boot_ms < _LONGEST_BOOT_MS:
        found.append(f"its service took {boot_ms} ms to boot")
    throughput = trial.document["metrics"].get("throughput_rps")
    right = (sent - failed) / len(measured) if measured else None
    if throughput is None or right is None or abs(throughput - right) > 1e-6 * max(1.0, right):
        found.append(f"its throughput is {throughput}, its seconds give {right}")
    return found


def _check_hit(fault: Fault, trial: Document) -> list[str]:
    outcome = read_outcome(trial)
    kind = fault.kind
    found = []
    if outcome not in kind.allowed:
        right = " or ".join(sorted(kind.allowed))
        found.append(f"ended as {outcome}, right is {right}: {_quote(trial)}")
    repeats = len(trial["retried_failures"])
    if repeats > MOST_REPEATS:
        found.append(f"was repeated {repeats} times")
    if outcome in _REPEATED and repeats < MOST_REPEATS:
        found.append(
            f"was repeated {repeats} times although {outcome} is to blame: {_quote(trial)}"
        )
    if outcome == SUCCESS and trial["attempt"] == 1 and _ends_attempt(fault):
        found.append(f"succeeded at the first attempt although its {kind.target} was gone")
    if outcome is FailureCause.SERVICE and repeats:
        found.append(f"was repeated {repeats} times before the service was blamed")
    found += [
        f"a repeat blames {failure['cause']}: {failure['code']}: {failure['detail'][:200]!r}"
        for failure in trial["retried_failures"]
        if FailureCause(failure["cause"]) not in _REPEATED
    ]
    is_killed = kind.target in {Target.SERVICE, Target.PEER} and kind.action is Action.KILL
    if is_killed and outcome is FailureCause.SERVICE and not _SIGNAL.search(_words(trial)):
        found.append(f"the failure does not name the signal: {_quote(trial)}")
    if (kind.is_unrepeated or kind.is_unnoticed) and trial["attempt"] != 1:
        found.append(f"took {trial['attempt']} attempts")
    if kind.is_unnoticed:
        found += _check_unnoticed(trial)
    return found


def _check_unnoticed(trial: Document) -> list[str]:
    found = []
    measuring = float(trial["stage_seconds"].get("measuring", 0.0))
    if measuring > DURATION_SECONDS + _MEASURING_SLACK_S:
        found.append(f"measuring took {measuring:.1f} s instead of {DURATION_SECONDS} s")
    return found


def _check_spared(trial: Document) -> list[str]:
    """A trial that the fault did not hit must succeed."""
    outcome = read_outcome(trial)
    return [f"a spared trial ended as {outcome}: {_quote(trial)}"] if outcome != SUCCESS else []


def _check_stream(fault: Fault, facts: RunFacts) -> list[str]:
    found = []
    ids = [_parse_id(identifier) for identifier in facts.followed_ids]
    if any(later <= earlier for earlier, later in pairwise(ids)):
        found.append("the event stream has repetitions or is out of order")
    if not facts.stream_ended:
        found.append("the event stream did not end with the run")
    if not _loses_events(fault):
        # A stream may end by the run's state in the database before its last events arrive.
        last = max(ids, default=(0, 0))
        expected = {_parse_id(identifier) for identifier in facts.all_ids}
        missing = [identifier for identifier in expected - set(ids) if identifier < last]
        if missing:
            found.append(f"the event stream has a gap of {len(missing)} events")
    return found


def _parse_id(identifier: str) -> tuple[int, int]:
    milliseconds, _, sequence = identifier.partition("-")
    return int(milliseconds), int(sequence or 0)


def _loses_events(fault: Fault) -> bool:
    """Redis holds live events in memory, so they are lost if it is killed."""
    return fault.kind.action is Action.KILL and fault.kind.target in {
        Target.REDIS,
        Target.SUPERVISOR,
    }


def _ends_attempt(fault: Fault) -> bool:
    """Return whether an attempt cannot give a correct result without the target of the fault."""
    return fault.kind.action in {Action.KILL, Action.REMOVE} and fault.kind.target in {
        Target.K6,
        Target.BACKING,
        Target.HOLDER,
        Target.SERVICE,
    }


def _takes_reads_away(fault: Fault) -> bool:
    """Return whether results cannot be read during the fault, because it hits the API or the
    database."""
    if fault.kind.action in {Action.SET_AHEAD, Action.SET_BACK}:
        return False
    return fault.kind.target in {Target.API, Target.BACKEND, Target.DATABASE, Target.SUPERVISOR}


def _words(trial: Document) -> str:
    failure = trial["failure"] or {}
    return f"{failure.get('title')} {failure.get('detail')} {failure.get('evidence')}"


def _quote(trial: Document) -> str:
    failure = trial["failure"] or {}
    return repr(f"{failure.get('code')}: {failure.get('detail')}"[:260])
