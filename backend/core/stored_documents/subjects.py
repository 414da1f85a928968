"""Subjects of documents: their rows, and the topics whose changes may change them; pure.

The query of a subject has the columns `key`, `place`, `owners`, `is_final`, `state` and `at`.
`owners` are the workspaces of its private runs: only a member of all of them may read the document.
`state` changes with the rows. `xmin` is PostgreSQL's version of a row: the transaction that wrote
it. The topics are those of the table `data_version`.

PostgreSQL plans these queries without the values of their parameters. Members of a StrEnum are
therefore literals: partial indexes serve the query, and its plan fits how frequent a member is.
The limit of a list of runs is a literal too: for a parameter, PostgreSQL expects a tenth of all
rows.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from backend.core.access.viewer import Viewer
from backend.core.runs.slug import is_slug
from backend.core.runs.visibility import write_is_listed
from backend.core.statuses import RunOutcome, RunStatus
from backend.core.units import Purpose


class Topic(StrEnum):
    """Data that many documents show. Triggers of the database record its changes."""

    CATALOGUE = "catalogue"
    LIMITS = "limits"
    # The bench hosts and their calibrations.
    HOSTS = "hosts"
    # The files of frameworks and scenarios that each bench host has.
    SOURCES = "sources"
    # The results of all scenarios.
    RESULTS = "results"
    # Results that were computed again or deleted, of all scenarios. New results do not count.
    REPLACED_RESULTS = "replaced-results"
    # Schedules with their scheduled runs, and what those found.
    SCHEDULES = "schedules"


def results_of(scenario: str) -> str:
    """Return the topic of the results of one scenario."""
    return f"{Topic.RESULTS}:{scenario}"


def series_of(scenario: str, framework: str) -> str:
    """Return the topic of a framework's results with a scenario, and of changes found in them."""
    return f"{results_of(scenario)}:framework:{framework}"


def hosts_of(scenario: str) -> str:
    """Return the topic of the list of hosts with results of a scenario."""
    return f"{Topic.HOSTS}:{scenario}"


# Names of frameworks, limits of the gate, and errors of load generators.
_RUN_TOPICS = (Topic.CATALOGUE, Topic.LIMITS, Topic.HOSTS)
_RESULT_TOPICS = (Topic.CATALOGUE, Topic.HOSTS)
# Names of frameworks, scenarios and hosts.
SHOWN_IN_RUN_LISTS = (Topic.CATALOGUE, Topic.HOSTS)

_OWNERS = "CASE WHEN run.visibility = 'private' THEN ARRAY[run.workspace_id] END"
_RUN = f"""
    SELECT 'run:' || run.id AS key, 1 AS place, {_OWNERS} AS owners,
        run.finalized_at IS NOT NULL AS is_final,
        concat_ws(',', run.xmin, origin.visibility{{state}}) AS state, run.created_at AS at
    FROM run LEFT JOIN run AS origin ON origin.id = run.rerun_of_id
    WHERE {{condition}}
"""  # noqa: S608
# Changes with the run in question as their confirmation run. Most finalized runs update changes of
# other runs, so the topic of all changes would discard the answers of all runs each time.
_TESTED_CHANGES = """, (
            SELECT string_agg(concat_ws(',', change.id, change.xmin), ';' ORDER BY change.id)
            FROM change WHERE change.confirmation_run_id = run.id
        )"""
_CELL = f"""
    SELECT 'cell:' || cell.id AS key, 1 AS place, {_OWNERS} AS owners,
        run.finalized_at IS NOT NULL AS is_final, run.xmin::text AS state, run.created_at AS at
    FROM cell JOIN run ON run.id = cell.run_id WHERE cell.id = %(cell)s
"""  # noqa: S608
_CELLS = """
    SELECT 'cells' AS key, 1 AS place,
        array_agg(DISTINCT run.workspace_id) FILTER (WHERE run.visibility = 'private') AS owners,
        count(*) = %(count)s AND bool_and(run.finalized_at IS NOT NULL) AS is_final,
        string_agg(concat_ws(',', run.id, run.xmin), ';' ORDER BY summary.cell_id) AS state,
        NULL::timestamptz AS at
    FROM cell_summary AS summary JOIN run ON run.id = summary.run_id
    WHERE summary.cell_id = ANY(%(cells)s)
"""
_NO_ROWS = """
    SELECT %(name)s::text AS key, 1 AS place, NULL::uuid[] AS owners, true AS is_final, '' AS state,
        NULL::timestamptz AS at
"""
# The next time of an overdue schedule is the present.
_SCHEDULES = """
    SELECT %(name)s::text AS key, 1 AS place, NULL::uuid[] AS owners,
        NOT EXISTS (SELECT FROM schedule WHERE next_at <= now()) AS is_final, '' AS state,
        NULL::timestamptz AS at
"""
# Topics name a host by its id, because it may get another name.
_BOARDS = """
    SELECT %(name)s::text AS key, 1 AS place, NULL::uuid[] AS owners, true AS is_final,
        (
            SELECT string_agg(version.id::text, ',' ORDER BY version.id) FROM host
            JOIN data_version AS version ON version.topic = %(results)s || ':host:' || host.id
            WHERE host.name = %(host)s
        ) AS state,
        NULL::timestamptz AS at
"""
# The topics of `series_of` for a framework with each scenario.
_RESULTS_OF_FRAMEWORK = """
    SELECT %(name)s::text AS key, 1 AS place, NULL::uuid[] AS owners, true AS is_final,
        (
            SELECT string_agg(version.id::text, ',' ORDER BY version.id) FROM scenario
            JOIN data_version AS version
                ON version.topic = 'results:' || scenario.slug || ':framework:' || %(framework)s
        ) AS state,
        NULL::timestamptz AS at
"""
_RUN_LIST = """
    SELECT 'run:' || run.id AS key,
        row_number() OVER (ORDER BY run.created_at DESC, run.id DESC) AS place, {owners} AS owners,
        run.finalized_at IS NOT NULL AS is_final,
        concat_ws(',', run.xmin, run.status) AS state, run.created_at AS at
    FROM run WHERE {conditions} ORDER BY run.created_at DESC, run.id DESC LIMIT {limit}
"""
# The topic of the runs with a cell of a framework or scenario.
_RUNS_WITH = """
    SELECT %(name)s::text AS key, 1 AS place, NULL::uuid[] AS owners, true AS is_final,
        (
            SELECT string_agg(version.id::text, ',' ORDER BY version.id) FROM {table} AS named
            JOIN data_version AS version ON version.topic = 'runs:{table}:' || named.id
            WHERE named.slug = %(slug)s
        ) AS state,
        NULL::timestamptz AS at
"""
# Steps from one series of the framework to the next in an index, and reads the newest rows of each.
# OFFSET keeps PostgreSQL from joining all rows of a series before it looks for the newest run.
_NEWEST_RESULTS = """
    WITH RECURSIVE series AS (
        (SELECT scenario, profile, host_id FROM cell_summary WHERE framework = %(framework)s
        ORDER BY scenario, profile, host_id LIMIT 1)
        UNION ALL
        SELECT following.* FROM series CROSS JOIN LATERAL (
            SELECT scenario, profile, host_id FROM cell_summary WHERE framework = %(framework)s
                AND (scenario, profile, host_id)
                    > (series.scenario, series.profile, series.host_id)
            ORDER BY scenario, profile, host_id LIMIT 1
        ) AS following
    )
    SELECT 'cell:' || cell.id AS key,
        row_number() OVER (
            ORDER BY series.scenario, series.profile, host.name, cell.position
        ) AS place,
        {owners} AS owners, true AS is_final, run.xmin::text AS state, run.created_at AS at
    FROM series JOIN host ON host.id = series.host_id
    CROSS JOIN LATERAL (
        SELECT run.id FROM cell_summary AS summary JOIN run ON run.id = summary.run_id
        WHERE summary.framework = %(framework)s AND summary.scenario = series.scenario
            AND summary.profile = series.profile AND summary.host_id = series.host_id
            AND run.purpose = '{purpose}' AND {listed}
        ORDER BY summary.at DESC, summary.cell_id DESC LIMIT 1
    ) AS newest
    JOIN run ON run.id = newest.id
    CROSS JOIN LATERAL (
        SELECT cell_id FROM cell_summary WHERE run_id = newest.id
            AND framework = %(framework)s AND scenario = series.scenario
            AND profile = series.profile
        OFFSET 0
    ) AS summary
    JOIN cell ON cell.id = summary.cell_id
"""
# Runs with a cell of a framework or scenario. If few runs have one, all are sorted. Otherwise
# the newest runs are read until the page is full. Only one of the two parts is executed.
_RUN_LIST_OF = """
    WITH named AS MATERIALIZED (
        SELECT DISTINCT run_id FROM cell
        WHERE {table}_id = (SELECT id FROM {table} WHERE slug = %({table})s){of_purpose}
        ORDER BY run_id DESC LIMIT {few}
    ),
    size AS MATERIALIZED (
        SELECT count(*) < {few} AS is_small,
            (SELECT run_id FROM named ORDER BY run_id LIMIT 1) AS first_id
        FROM named
    )
    ({sorted_runs}) UNION ALL ({newest_runs})
"""
# The reference services, for instance, only have calibrations.
_IS_COMPARISON = f" AND run_id NOT IN (SELECT id FROM run WHERE purpose <> '{Purpose.COMPARISON}')"  # noqa: S608
_IS_NAMED = (
    "(SELECT is_small FROM size)",
    "run.id = ANY(ARRAY(SELECT run_id FROM named))",
)
# Ids have the order of creation, so the newest runs almost always have one of the newest ids, which
# are named. Cells are read only for runs with an older id.
_IS_NAMED_OR_OLDER = (
    "NOT (SELECT is_small FROM size)",
    "CASE WHEN run.id >= (SELECT first_id FROM size) THEN run.id IN (SELECT run_id FROM named) "
    "ELSE {has_cell} END",
)
# Sorting as many runs takes as long as reading the newest runs until a page is full.
_FEW_RUNS = 1_000
_WITH_CELL_OF = (
    "EXISTS (SELECT FROM cell WHERE cell.run_id = run.id "
    "AND cell.{table}_id = (SELECT id FROM {table} WHERE slug = %({table})s))"
)


@dataclass(frozen=True)
class Subject:
    """The rows that a document is about.

    Attributes:
        query: a SELECT with the columns of this module.
        topics: the topics that the document depends on.
    """

    query: str
    parameters: Mapping[str, object]
    topics: Sequence[str]


@dataclass(frozen=True)
class RunFilter:
    """Which runs a list contains.

    Attributes:
        is_scheduled: whether schedules started the runs; None for all.
        before: creation time and id of the last run of the previous page.
    """

    limit: int
    purpose: Purpose = Purpose.COMPARISON
    status: RunStatus | None = None
    outcome: RunOutcome | None = None
    framework: str | None = None
    scenario: str | None = None
    is_scheduled: bool | None = None
    before: tuple[datetime, UUID] | None = None


def of_run(name: str, *, shows_changes: bool = False) -> Subject | None:
    """Return the subject of a run by id or slug; None if the text is neither.

    Args:
        shows_changes: whether the document shows the changes that a confirmation run tests.
    """
    run: str | UUID = name
    if is_slug(name):
        condition = "run.slug = %(run)s"
    else:
        condition = "run.id = %(run)s"
        try:
            run = UUID(name)
        except ValueError:
            return None
    state = _TESTED_CHANGES if shows_changes else ""
    return Subject(_RUN.format(state=state, condition=condition), {"run": run}, _RUN_TOPICS)


def of_cell(cell_id: UUID) -> Subject:
    """Return the subject of one cell of a run."""
    return Subject(_CELL, {"cell": cell_id}, _RUN_TOPICS)


def of_results(cell_ids: Collection[UUID]) -> Subject:
    """Return the subject of the results of cells of any runs."""
    wanted = list(set(cell_ids))
    return Subject(_CELLS, {"cells": wanted, "count": len(wanted)}, _RESULT_TOPICS)


def of_history(scenario: str, frameworks: Collection[str]) -> Subject:
    """Return the subject of the listed results of frameworks with a scenario, and its hosts."""
    series = {series_of(scenario, framework) for framework in frameworks}
    topics = (*_RESULT_TOPICS, hosts_of(scenario), *series)
    return Subject(_NO_ROWS, {"name": f"history:{scenario}"}, topics)


def of_boards(scenario: str | None, host: str | None) -> Subject:
    """Return the subject of the listed results of a scenario on a host, and of its hosts.

    Args:
        scenario, host: None for all.
    """
    name = {"name": f"boards:{scenario or ''}"}
    if scenario is None or host is None:
        results = Topic.RESULTS if scenario is None else results_of(scenario)
        return Subject(_NO_ROWS, name, (*_RESULT_TOPICS, results))
    parameters = {**name, "host": host, "results": results_of(scenario)}
    return Subject(_BOARDS, parameters, (*_RESULT_TOPICS, hosts_of(scenario)))


def of_schedules() -> Subject:
    """Return the subject of all schedules. It is not final while one is overdue."""
    return Subject(_SCHEDULES, {"name": "schedules"}, (Topic.SCHEDULES, Topic.HOSTS))


def of_catalogue(name: str) -> Subject:
    """Return the subject of entries of the catalogue with the hosts that have them.

    Args:
        name: which entries.
    """
    topics = (Topic.CATALOGUE, Topic.HOSTS, Topic.SOURCES)
    return Subject(_NO_ROWS, {"name": f"catalogue:{name}"}, topics)


def of_runs(wanted: RunFilter, viewer: Viewer) -> Subject:
    """Return the subject of a list of runs, newest first, with one row for each run.

    Args:
        viewer: the list contains the runs that this viewer sees listed.
    """
    listed, parameters = write_is_listed(viewer)
    conditions = [f"run.purpose = '{wanted.purpose}'", listed]
    for column, value in (("status", wanted.status), ("outcome", wanted.outcome)):
        if value is not None:
            conditions.append(f"run.{column} = '{value}'")
    has_cells = []
    for table, slug in (("framework", wanted.framework), ("scenario", wanted.scenario)):
        if slug is not None:
            has_cells.append((table, _WITH_CELL_OF.format(table=table)))
            parameters[table] = slug
    if wanted.is_scheduled is not None:
        conditions.append("run.is_scheduled" if wanted.is_scheduled else "NOT run.is_scheduled")
    if wanted.before is not None:
        conditions.append("(run.created_at, run.id) < (%(before_at)s, %(before_id)s)")
        parameters["before_at"], parameters["before_id"] = wanted.before
    if not has_cells:
        query = _write_run_list(conditions, wanted.limit)
    else:
        (table, has_cell), *others = has_cells
        conditions += [condition for _, condition in others]
        is_not_small, is_named = _IS_NAMED_OR_OLDER
        newest = (is_not_small, is_named.format(has_cell=has_cell))
        query = _RUN_LIST_OF.format(
            table=table,
            few=_FEW_RUNS,
            of_purpose=_IS_COMPARISON if wanted.purpose is Purpose.COMPARISON else "",
            sorted_runs=_write_run_list([*conditions, *_IS_NAMED], wanted.limit),
            newest_runs=_write_run_list([*conditions, *newest], wanted.limit),
        )
    return Subject(query, parameters, SHOWN_IN_RUN_LISTS)


def of_filter(wanted: RunFilter) -> Subject | None:
    """Return the subject of all runs with the framework or scenario of a filter, as one row.

    Its version changes whenever that of a row of `of_runs` does, and is found sooner. None for a
    filter by neither.
    """
    for table, slug in (("framework", wanted.framework), ("scenario", wanted.scenario)):
        if slug is not None:
            parameters = {"name": f"runs:{table}:{slug}", "slug": slug}
            return Subject(_RUNS_WITH.format(table=table), parameters, SHOWN_IN_RUN_LISTS)
    return None


def _write_run_list(conditions: Sequence[str], limit: int) -> str:
    return _RUN_LIST.format(owners=_OWNERS, conditions=" AND ".join(conditions), limit=limit)


def of_newest_results(framework: str, viewer: Viewer) -> Subject:
    """Return the subject of a framework's newest results.

    It has a row for each cell of the newest comparison with each scenario, profile and host.

    Args:
        viewer: only runs that this viewer sees listed count.
    """
    listed, parameters = write_is_listed(viewer)
    parameters |= {"framework": framework}
    query = _NEWEST_RESULTS.format(owners=_OWNERS, listed=listed, purpose=Purpose.COMPARISON)
    return Subject(query, parameters, _RESULT_TOPICS)


def of_results_of_framework(framework: str) -> Subject:
    """Return the subject of a framework's results with all scenarios, as one row.

    Its version changes whenever that of a row of `of_newest_results` does, and is found sooner.
    """
    parameters = {"name": f"results:{framework}", "framework": framework}
    return Subject(_RESULTS_OF_FRAMEWORK, parameters, _RESULT_TOPICS)
