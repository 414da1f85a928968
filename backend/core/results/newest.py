"""SQL for the newest results of a framework. Never commits."""

from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.people.access.viewer import Viewer
from backend.core.runs.visibility import write_is_listed
from backend.core.units import Purpose

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
    SELECT cell.id FROM series JOIN host ON host.id = series.host_id
    CROSS JOIN LATERAL (
        SELECT run.id FROM cell_summary AS summary JOIN run ON run.id = summary.run_id
        WHERE summary.framework = %(framework)s AND summary.scenario = series.scenario
            AND summary.profile = series.profile AND summary.host_id = series.host_id
            AND run.purpose = '{purpose}' AND {listed}
        ORDER BY summary.at DESC, summary.cell_id DESC LIMIT 1
    ) AS newest
    CROSS JOIN LATERAL (
        SELECT cell_id FROM cell_summary WHERE run_id = newest.id
            AND framework = %(framework)s AND scenario = series.scenario
            AND profile = series.profile
        OFFSET 0
    ) AS summary
    JOIN cell ON cell.id = summary.cell_id
    ORDER BY series.scenario, series.profile, host.name, cell.position
"""


def list_newest_cells(session: Session, framework: str, viewer: Viewer) -> list[UUID]:
    """Return the cells of a framework in the newest comparison of each scenario, profile and host.

    They are ordered by scenario, profile, host and position.

    Args:
        viewer: only runs that this viewer sees listed count.
    """
    listed, parameters = write_is_listed(viewer)
    statement = _NEWEST_RESULTS.format(listed=listed, purpose=Purpose.COMPARISON)
    rows = session.connection().exec_driver_sql(statement, parameters | {"framework": framework})
    return [row.id for row in rows]
