"""Subjects of stored documents about changes and incidents; pure.

`backend.core.stored_documents.subjects` describes the columns of a subject.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from backend.core.access.viewer import Viewer
from backend.core.changes.lifecycle import OPEN, STRONGEST_FIRST
from backend.core.runs.visibility import write_is_listed
from backend.core.statuses import ChangeStatus
from backend.core.stored_documents.subjects import Subject, Topic
from backend.core.units import Metric

# Names of frameworks, scenarios and hosts.
_TOPICS = (Topic.CATALOGUE, Topic.HOSTS)
# The builds before and after a change are in its results. To look for the results of each change
# took 0.2 of 0.5 ms.
_TOPICS_OF_INCIDENTS = (*_TOPICS, Topic.REPLACED_RESULTS)

# The limit is a parameter: with a literal, PostgreSQL sorts all incidents of a workspace.
_PAGE = """
    SELECT '{kind}:' || {table}.id AS key,
        row_number() OVER (ORDER BY {table}.at DESC, {table}.id DESC) AS place,
        NULL::uuid[] AS owners, {is_final} AS is_final, {state} AS state, {table}.at
    FROM (
        SELECT *, xmin FROM {table} WHERE {conditions}
        ORDER BY {table}.at DESC, {table}.id DESC LIMIT %(limit)s
    ) AS {table}
"""
# Whether the run before or after a change is listed. Subqueries: to plan joins takes longer.
_IS_SIDE_LISTED = """(
    SELECT {listed} FROM cell_summary AS side JOIN run ON run.id = side.run_id
    WHERE side.cell_id = change.{side}_cell_id
)"""
# The topic of `series_of`: a change, its sides, and the points around it.
_SERIES = """(
    SELECT string_agg(version.id::text, '/' ORDER BY version.id) FROM data_version AS version
    WHERE version.topic = 'results:' || change.scenario || ':framework:' || change.framework
)"""
# The runs before and after a change, its confirmation run, and the run of its host event. Their
# visibility decides what visitors see of the change. Members see all of them.
_RUNS = """(
    SELECT string_agg(run.xmin::text, '/' ORDER BY run.id) FROM run WHERE run.id IN (
        change.confirmation_run_id,
        (SELECT event.run_id FROM host_event AS event WHERE event.id = change.host_event_id),
        (SELECT run_id FROM cell_summary WHERE cell_id = change.before_cell_id),
        (SELECT run_id FROM cell_summary WHERE cell_id = change.after_cell_id)
    )
)"""
# Also of changes that the viewer does not see.
_CHANGES = """(
    SELECT string_agg(concat_ws(',', change.id, change.xmin{values}), ';' ORDER BY change.id)
    FROM change WHERE change.incident_id = incident.id
)"""
# The sources of the builds before and after an incident, as far as they are recorded.
_SOURCES = """(
    SELECT string_agg(concat_ws(',', source.digest, source.xmin), ';' ORDER BY source.digest)
    FROM jsonb_each(incident.builds) AS pair JOIN build_source AS source
        ON source.host_id = incident.host_id
        AND source.digest IN (pair.value ->> 'before', pair.value ->> 'after')
)"""
# The runs also because the document shows the confirmation runs.
_WHOLE_CHANGES = _CHANGES.format(values=f", {_SERIES}, {_RUNS}")
_ARE_RUNS_FINAL = """NOT EXISTS (
    SELECT FROM change JOIN run ON run.id = change.confirmation_run_id
    WHERE change.incident_id = incident.id AND run.finalized_at IS NULL
)"""
# The rule of `lifecycle.needs_attention`, as the condition of the partial index.
_UNDECIDED = ", ".join(f"'{status}'" for status in sorted(OPEN))
_IS_OPEN = (
    f"(change.status IN ({_UNDECIDED}) "
    f"OR (change.status = '{ChangeStatus.CONFIRMED}' AND change.acknowledged_at IS NULL))"
)
_OF_HOST = "{table}.host_id IN (SELECT host.id FROM host WHERE host.name = %(host)s)"
_HAS_ROWS = "count(*) > 0"
_HAS_CHANGE = "EXISTS (SELECT FROM change WHERE change.incident_id = incident.id AND {condition})"


@dataclass(frozen=True)
class ChangeFilter:
    """Which changes a list contains; None does not filter.

    Attributes:
        before: time and id of the last change of the previous page.
    """

    limit: int
    status: ChangeStatus | None = None
    framework: str | None = None
    scenario: str | None = None
    metric: Metric | None = None
    host: str | None = None
    before: tuple[datetime, UUID] | None = None


@dataclass(frozen=True)
class IncidentFilter:
    """Which incidents a list contains; None does not filter.

    Attributes:
        before: time and id of the last incident of the previous page.
    """

    limit: int
    status: ChangeStatus | None = None
    is_open: bool | None = None
    framework: str | None = None
    host: str | None = None
    before: tuple[datetime, UUID] | None = None


def of_changes(wanted: ChangeFilter, viewer: Viewer) -> Subject:
    """Return the subject of a list of changes, newest first, with one row for each change.

    Args:
        viewer: the list contains the changes between runs that this viewer sees listed.
    """
    conditions, parameters = _write_conditions("change", wanted)
    for column, member in (("status", wanted.status), ("metric", wanted.metric)):
        if member is not None:
            conditions.append(f"change.{column} = '{member}'")
    for column, name in (("framework", wanted.framework), ("scenario", wanted.scenario)):
        if name is not None:
            conditions.append(f"change.{column} = %({column})s")
            parameters[column] = name
    return _of_changes(conditions, parameters, viewer)


def of_change(change_id: UUID, viewer: Viewer) -> Subject:
    """Return the subject of one change. It has no row if the viewer does not see the change."""
    return _of_changes(["change.id = %(change)s"], {"change": change_id, "limit": 1}, viewer)


def _of_changes(
    conditions: Sequence[str], parameters: Mapping[str, object], viewer: Viewer
) -> Subject:
    is_listed, rights = _write_is_listed(viewer)
    query = _PAGE.format(
        kind="change",
        table="change",
        state=f"concat_ws(',', {_SERIES}{_write_rights(viewer)})",
        is_final="true",
        conditions=" AND ".join([*conditions, is_listed]),
    )
    return Subject(query, {**parameters, **rights}, _TOPICS)


def of_incidents(wanted: IncidentFilter, viewer: Viewer) -> Subject:
    """Return the subject of a list of incidents, newest first, with one row for each incident.

    Args:
        viewer: the list contains the incidents with changes that this viewer sees listed.
    """
    conditions, parameters = _write_conditions("incident", wanted)
    if viewer.workspace is not None:
        conditions.append("incident.workspace_id = %(workspace)s")
    # Conditions on the changes that the viewer sees.
    of_listed = [_HAS_ROWS]
    if wanted.status is not None:
        has_status = f"change.status = '{wanted.status}'"
        of_listed.append(f"bool_or({has_status})")
        of_listed += [
            f"NOT bool_or(change.status = '{stronger}')"
            for stronger in STRONGEST_FIRST[: STRONGEST_FIRST.index(wanted.status)]
        ]
        # Few incidents may have this status. An index finds their changes.
        conditions.append(_HAS_CHANGE.format(condition=has_status))
    if wanted.is_open is not None:
        of_listed.append(f"bool_or({_IS_OPEN}) = {str(wanted.is_open).lower()}")
        if wanted.is_open:
            conditions.append(_HAS_CHANGE.format(condition=_IS_OPEN))
    if wanted.framework is not None:
        conditions.append(_HAS_CHANGE.format(condition="change.framework = %(framework)s"))
        parameters["framework"] = wanted.framework
    return _of_incidents(conditions, parameters, viewer, " AND ".join(of_listed))


def of_incident_ids(incident_ids: Collection[UUID], viewer: Viewer) -> Subject:
    """Return the subject of these incidents as in a list, without those that are not listed."""
    parameters = {"incidents": list(incident_ids), "limit": len(incident_ids)}
    return _of_incidents(["incident.id = ANY(%(incidents)s)"], parameters, viewer)


def _of_incidents(
    conditions: Sequence[str],
    parameters: Mapping[str, object],
    viewer: Viewer,
    of_listed: str = _HAS_ROWS,
) -> Subject:
    is_listed, rights = _write_has_listed(viewer, of_listed)
    changes = _CHANGES.format(values=_write_rights(viewer))
    query = _PAGE.format(
        kind="incident",
        table="incident",
        state=f"concat_ws('|', incident.xmin, {changes})",
        is_final="true",
        conditions=" AND ".join([*conditions, is_listed]),
    )
    return Subject(query, {**parameters, **rights}, _TOPICS_OF_INCIDENTS)


def of_incident(incident_id: UUID, viewer: Viewer) -> Subject:
    """Return the subject of a whole incident, without a row if the viewer sees none of its changes.

    The document is final if its confirmation runs are finalized.
    """
    is_listed, rights = _write_has_listed(viewer)
    query = _PAGE.format(
        kind="whole-incident",
        table="incident",
        state=f"concat_ws('|', incident.xmin, {_WHOLE_CHANGES}, {_SOURCES})",
        is_final=_ARE_RUNS_FINAL,
        conditions=f"incident.id = %(incident)s AND {is_listed}",
    )
    return Subject(query, {"incident": incident_id, "limit": 1} | rights, _TOPICS)


def _write_rights(viewer: Viewer) -> str:
    """Return further values of a change: those that decide what a visitor sees of it."""
    return "" if viewer.workspace is not None else f", {_RUNS}"


def _write_has_listed(viewer: Viewer, condition: str = _HAS_ROWS) -> tuple[str, dict[str, object]]:
    """Return a condition on those changes of an incident that a viewer sees listed."""
    is_listed, parameters = _write_is_listed(viewer)
    own = f"change.incident_id = incident.id AND {is_listed}"
    return f"(SELECT {condition} FROM change WHERE {own})", parameters  # noqa: S608


def _write_conditions(
    table: str, wanted: ChangeFilter | IncidentFilter
) -> tuple[list[str], dict[str, object]]:
    """Return the conditions that changes and incidents share, with their parameters."""
    conditions = []
    parameters: dict[str, object] = {"limit": wanted.limit}
    if wanted.host is not None:
        conditions.append(_OF_HOST.format(table=table))
        parameters["host"] = wanted.host
    if wanted.before is not None:
        conditions.append(f"({table}.at, {table}.id) < (%(before_at)s, %(before_id)s)")
        parameters["before_at"], parameters["before_id"] = wanted.before
    return conditions, parameters


def _write_is_listed(viewer: Viewer) -> tuple[str, dict[str, object]]:
    """Return the condition of `listing.is_visible` as text, with its parameters."""
    if viewer.workspace is not None:
        return "change.workspace_id = %(workspace)s", {"workspace": viewer.workspace}
    listed, parameters = write_is_listed(viewer)
    sides = [_IS_SIDE_LISTED.format(listed=listed, side=side) for side in ("before", "after")]
    return " AND ".join(sides), parameters
