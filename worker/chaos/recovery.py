"""Measure the time until the target of a fault serves again."""

import time
from collections.abc import Callable
from contextlib import suppress

import httpx

from backend.core.runs.status import TRIAL_ENDS
from backend.core.statuses import TrialStatus
from worker.chaos.database import DatabaseAway
from worker.chaos.faults import Action, Target
from worker.chaos.injection import Injected
from worker.chaos.installation import ChaosInstallation, NotReady
from worker.chaos.plan import Fault

_TIMEOUT_S = 120.0
_POLL_S = 0.05
_ENDS_ATTEMPT = frozenset({Target.WORKER, Target.K6, Target.HOLDER, Target.BACKING, Target.ENGINE})


def measure_recovery(
    installation: ChaosInstallation, fault: Fault, injected: Injected
) -> float | None:
    """Return the seconds from the end of the fault until its target serves again; None if it need
    not.

    Raises:
        TimeoutError: it did not serve within two minutes.
        NotReady: `tacho up` has ended.
    """
    has_recovered = _find_probe(installation, fault, injected)
    if has_recovered is None:
        return None
    # A stopped part serves as soon as it continues. A killed part must be restarted. The start of
    # the supervisor is part of the fault.
    begin = injected.begin_s if fault.kind.target is Target.SUPERVISOR else injected.end_s
    while not has_recovered():
        if installation.has_ended():
            raise NotReady("tacho up has ended")
        if time.monotonic() - begin > _TIMEOUT_S:
            raise TimeoutError(f"{fault.kind.target} did not recover within {_TIMEOUT_S:.0f} s")
        time.sleep(_POLL_S)
    return time.monotonic() - begin


def _find_probe(
    installation: ChaosInstallation, fault: Fault, injected: Injected
) -> Callable[[], bool] | None:
    target = fault.kind.target
    probes: dict[Target, Callable[[], bool]] = {
        Target.REDIS: lambda: installation.read_health().get("broker") == "ok",
        Target.BACKEND: lambda: _reads_runs(installation),
        Target.DATABASE: lambda: _reads_runs(installation),
        Target.API: lambda: _reads_runs(installation),
        Target.SUPERVISOR: installation.is_whole,
        Target.DISPATCHER: lambda: installation.find_part("dispatcher") is not None,
        Target.MESSAGES: lambda: _is_received(installation, fault, injected),
        Target.NETWORK: lambda: (
            installation.is_online(installation.far_host)
            and _has_left_queue(installation, injected)
        ),
        Target.DATA_DISK: lambda: _has_resumed(installation, injected),
        Target.ENGINE_DISK: lambda: _has_resumed(installation, injected),
        Target.DATABASE_DISK: lambda: (
            installation.is_whole() and not installation.find_database_shortage()
        ),
    }
    is_repeated = fault.kind.action in {Action.KILL, Action.CRASH_LOOP, Action.REMOVE}
    if is_repeated and target in _ENDS_ATTEMPT:
        return lambda: _is_repeated(installation, injected)
    return probes.get(target)


def _reads_runs(installation: ChaosInstallation) -> bool:
    try:
        return installation.client.get("/runs", timeout=3.0).is_success
    except httpx.HTTPError:
        return False


def _is_received(installation: ChaosInstallation, fault: Fault, injected: Injected) -> bool:
    """Return whether the receiver of a lost or repeated message has done its work."""
    with suppress(DatabaseAway):
        if fault.stage is TrialStatus.QUEUED:
            return installation.database.get_trial(injected.trial_id)[1] >= 1
        return installation.database.is_finalized(injected.run_id)
    return False


def _has_resumed(installation: ChaosInstallation, injected: Injected) -> bool:
    return installation.is_whole() and _has_left_queue(installation, injected)


def _has_left_queue(installation: ChaosInstallation, injected: Injected) -> bool:
    """Return whether a worker has the trial, or has ended it."""
    with suppress(DatabaseAway):
        return installation.database.get_trial(injected.trial_id)[0] != TrialStatus.QUEUED
    return False


def _is_repeated(installation: ChaosInstallation, injected: Injected) -> bool:
    """Return whether the trial was claimed again, or has ended."""
    with suppress(DatabaseAway):
        status, attempt = installation.database.get_trial(injected.trial_id)
        return attempt >= 2 or status in TRIAL_ENDS
    return False
