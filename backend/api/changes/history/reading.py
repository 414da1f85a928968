"""Read what a request for a history names: its load, its metric, its series and their changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.changes.detection import Sensitivity
from backend.core.changes.history.service import (
    EnvironmentEvent,
    HistoryLoad,
    Series,
    choose_load,
    find_usual_metric,
    list_events,
    list_loads,
    read_history,
)
from backend.core.changes.history_answer import HistoryAnswer, answer_history
from backend.core.changes.history_changes import (
    SeenChange,
    find_all_changes,
    match_known_changes,
)
from backend.core.changes.history_limits import LimitState, judge_limits
from backend.core.changes.repository import list_changes_like
from backend.core.models import Framework, Scenario
from backend.core.people.access.viewer import Viewer
from backend.core.results.slos import list_slos
from backend.core.units import Metric


@dataclass(frozen=True)
class HistoryRequest:
    """A request for histories, as its query describes it.

    Attributes:
        load: key of a load, or `all`; None for the load with the most valid points.
        limit: number of newest points per framework.
    """

    frameworks: tuple[str, ...]
    scenario: str
    metric: Metric | None
    load: str | None
    host: str | None
    limit: int
    sensitivity: Sensitivity


@dataclass(frozen=True)
class ReadHistory:
    """A history with the selected load and its series.

    Attributes:
        load: None for all loads.
        changes, events, limits: of each series.
    """

    request: HistoryRequest
    frameworks: dict[str, Framework]
    scenario: Scenario
    metric: Metric
    loads: Sequence[HistoryLoad]
    load: HistoryLoad | None
    series: Sequence[Series]
    changes: Sequence[Sequence[SeenChange]]
    events: Sequence[Sequence[EnvironmentEvent]]
    limits: Sequence[Sequence[LimitState]]

    def list_answers(self) -> list[HistoryAnswer]:
        """Return whether each framework has become faster or slower."""
        names = {slug: framework.name for slug, framework in self.frameworks.items()}
        return answer_history(
            self.series,
            self.changes,
            self.events,
            names,
            self.metric,
            self.request.sensitivity,
        )


def read_request(session: Session, request: HistoryRequest, viewer: Viewer) -> ReadHistory:
    """Return the history that a request names.

    Raises:
        NotFound: there is no such framework or scenario.
        InvalidRequest: there is no such load.
    """
    frameworks = {slug: catalog.get_framework(session, slug) for slug in request.frameworks}
    scenario = catalog.get_scenario(session, request.scenario)
    loads, load, metric = _choose(session, request, viewer)
    series = read_history(
        session,
        list(frameworks),
        scenario.slug,
        metric,
        load=load,
        host=request.host,
        limit=request.limit,
        viewer=viewer,
    )
    known = list_changes_like(session, series, scenario.slug, metric, viewer)
    changes = [
        match_known_changes(line, find_all_changes(line, request.sensitivity), own)
        for line, own in zip(series, known, strict=True)
    ]
    events = list_events(session, series)
    slos = list_slos(session, viewer.workspace, [scenario.slug]) if viewer.workspace else []
    limits = [judge_limits(slos, line, scenario.slug, metric) for line in series]
    return ReadHistory(
        request, frameworks, scenario, metric, loads, load, series, changes, events, limits
    )


def _choose(
    session: Session, request: HistoryRequest, viewer: Viewer
) -> tuple[Sequence[HistoryLoad], HistoryLoad | None, Metric]:
    """Return the loads with results in the metric, the selected load, and the metric."""
    frameworks = list(dict.fromkeys(request.frameworks))

    def count(metric: Metric | None) -> list[HistoryLoad]:
        return list_loads(
            session,
            frameworks,
            request.scenario,
            metric,
            host=request.host,
            viewer=viewer,
        )

    loads = count(request.metric)
    load = choose_load(loads, request.load)
    if request.metric is not None:
        return loads, load, request.metric
    metric = find_usual_metric(
        session,
        frameworks,
        request.scenario,
        load=load,
        host=request.host,
        viewer=viewer,
    )
    return count(metric), load, metric
