"""Bench hosts as the API shows them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from backend.addresses import run_page
from backend.api.operations.hosts.schemas import (
    CalibrationOut,
    CpuSetsOut,
    HostOut,
)
from backend.api.operations.hosts.states import find_state
from backend.core.catalog import repository as catalog
from backend.core.catalog.host_sources import read_host_sources
from backend.core.catalog.source_faults import list_source_faults
from backend.core.computed_once import ComputedOnce
from backend.core.cpus import explain_sharing, read_cpu_sets
from backend.core.models import Host
from backend.core.people.access.viewer import Viewer
from backend.core.results.calibration.service import Calibration, list_calibrations
from backend.core.runs.queue.host_activity import (
    HostActivity,
    get_host_activity,
    list_host_activities,
)
from backend.core.runs.queue.waiting import QueueEnds, find_queue_ends
from backend.core.runs.visibility import lists


def read_hosts(session: Session, viewer: Viewer) -> list[HostOut]:
    """Return all hosts with the current work and the calibration that the caller may see."""
    return _show(
        session, list_host_activities(session, viewer.workspace, with_revoked=True), viewer
    )


def read_host(session: Session, host: Host, viewer: Viewer) -> HostOut:
    """Return one host as read_hosts does."""
    return _show(session, [get_host_activity(session, viewer.workspace, host)], viewer)[0]


def _show(session: Session, activities: Sequence[HostActivity], viewer: Viewer) -> list[HostOut]:
    ids = [host.id for host in activities]
    hosts = {host.id: host for host in catalog.list_of_ids(session, ids)}
    sources = read_host_sources(session, list(hosts.values()), has_scenarios=False)
    # Most hosts have exactly the files of the catalogue.
    differs = any(own.frameworks for own in sources.values())
    frameworks = catalog.list_frameworks(session, names_only=True) if differs else []
    calibrations = list_calibrations(session, list(hosts.values()), viewer)
    queues = find_queue_ends(session, viewer, ids)
    faults: dict[UUID | None, list[str]] = {}
    for fault in list_source_faults(session, ids):
        faults.setdefault(fault.host_id, []).append(fault.detail)
    return [
        _host_out(
            hosts[activity.id],
            calibrations.get(activity.id),
            viewer,
            sources[hosts[activity.id].name].list_obstacles(frameworks),
            faults.get(activity.id, []),
            _describe_activity(activity, queues.get(activity.id, QueueEnds())),
        )
        for activity in activities
        # A host may be removed in the meantime.
        if activity.id in hosts
    ]


def _describe_activity(host: HostActivity, queue: QueueEnds) -> dict[str, object]:
    """Return the fields that change with the activity of a host.

    Args:
        queue: the part that the viewer may know of.
    """
    return {
        "state": find_state(host),
        "status": host.status,
        "disk_shortage": host.shortage,
        "is_usable": host.is_usable,
        "queued_trials": queue.last.trials,
        "current_run_id": queue.current and queue.current.id,
        "seen_at": host.seen_at,
    }


def _host_out(
    host: Host,
    calibration: Calibration | None,
    viewer: Viewer,
    unavailable: Mapping[str, str],
    faults: Sequence[str],
    activity: Mapping[str, object],
) -> HostOut:
    """Return one host.

    Args:
        viewer: only runs that this viewer sees listed are linked to.
        unavailable: why frameworks cannot run on it, by slug.
        faults: which entries of it are left out of the catalogue, and why.
        activity: the fields of `_describe_activity`.
    """
    fingerprint = host.fingerprint
    return HostOut.of(
        host,
        **activity,
        has_key=host.joined_at is not None,
        isolation=fingerprint.get("isolation"),
        uses_host_network_for_builds=fingerprint.get("build_network") == "host",
        build_network=fingerprint.get("build_network"),
        memory_fault=fingerprint.get("memory_fault"),
        bases=fingerprint.get("bases"),
        is_reserved=host.reserved_for is not None,
        accepts_remote_load=bool(host.service_address),
        cpus=_cpu_sets(host),
        unavailable=unavailable,
        faults=faults,
        calibration=calibration and calibration_out(calibration, viewer),
    )


class _ShownCalibration(NamedTuple):
    """The parts of a calibration that can change, and whether the viewer may see its run."""

    run_slug: str
    is_current: bool
    is_listed: bool


_MOST_CALIBRATIONS = 500
_calibrations: ComputedOnce[_ShownCalibration, CalibrationOut] = ComputedOnce(_MOST_CALIBRATIONS)


def calibration_out(found: Calibration, viewer: Viewer) -> CalibrationOut:
    """Return a calibration, with its run if the viewer sees it listed."""
    key = _ShownCalibration(found.run_slug, found.is_current, lists(viewer, *found.owner))
    return _calibrations.read_one(key, lambda: _write_calibration(found, is_listed=key.is_listed))


def _write_calibration(found: Calibration, *, is_listed: bool) -> CalibrationOut:
    return CalibrationOut.of(
        found,
        permalink=run_page(found.run_slug) if is_listed else None,
        disagreements=found.disagreements or None,
    )


def _cpu_sets(host: Host) -> CpuSetsOut | None:
    """Return the CPUs of each role; None if the worker states none, or no valid lists."""
    cpus = read_cpu_sets(host.fingerprint.get("cpus", {}))
    if cpus is None:
        return None
    # Workers of older versions do not know their cores.
    notes = host.fingerprint.get("cpu_notes", explain_sharing(cpus))
    return CpuSetsOut(**cpus, layout=host.fingerprint.get("cpu_layout"), sharing=notes)
