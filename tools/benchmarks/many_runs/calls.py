"""The requests of all pages, with many addresses each, and their goals."""

import random
from collections.abc import Sequence
from urllib.parse import urlencode
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.core.models import (
    CellSummary,
    Change,
    Framework,
    Host,
    Incident,
    Run,
    Scenario,
    Schedule,
    Trial,
)
from backend.core.runs.status import RUN_ENDS
from backend.core.statuses import TrialStatus

FIXED = "verdicts"
_COMPARED = 8
# Pages without a choice. Their names are their paths in words.
_SINGLE = (
    *("/runs?limit=50", "/home", "/queue", "/hosts", "/incidents", "/incident-counts"),
    *("/open-incidents", "/changes", "/change-counts", "/host-events", "/frameworks"),
    *("/scenarios", "/schedules", "/presets", "/studies", "/members", "/slos", "/retention"),
    *("/limits", "/session", "/health", "/metrics"),
)
# Pages of owners and operators.
RESTRICTED = (
    *("/audit", "/invitations", "/webhooks", "/installation", "/installation-audit", "/users"),
    *("/workspaces", "/host-keys"),
)


def list_calls(
    session: Session, workspace_id: UUID, rng: random.Random, most: int
) -> dict[str, list[str]]:
    """Return the addresses of each call, at most `most`. All data is of this workspace."""
    own = Run.workspace_id == workspace_id
    ended = select(Run.slug).where(own, Run.finalized_at.is_not(None))
    runs = session.scalars(ended.order_by(func.random()).limit(most)).all()
    unfinished = session.scalars(
        select(Run.slug).where(own, Run.status.not_in(RUN_ENDS)).order_by(Run.id.desc())
    ).all()
    cells = session.execute(
        select(CellSummary.scenario, CellSummary.cell_id)
        .where(CellSummary.workspace_id == workspace_id)
        .order_by(func.random())
        .limit(_COMPARED * most)
    ).all()
    of_scenario: dict[str, list[UUID]] = {}
    for scenario, cell_id in cells:
        of_scenario.setdefault(scenario, []).append(cell_id)
    comparable = [own for own in of_scenario.values() if len(own) >= _COMPARED]

    def choose() -> str:
        chosen = rng.sample(rng.choice(comparable), _COMPARED)
        return urlencode([("cells", cell_id) for cell_id in chosen])

    selections = [choose() for _ in range(most)]
    boards = session.execute(
        select(CellSummary.scenario, Host.name)
        .join(Host, Host.id == CellSummary.host_id)
        .where(CellSummary.workspace_id == workspace_id)
        .distinct()
    ).all()
    frameworks = session.scalars(
        select(CellSummary.framework).where(CellSummary.workspace_id == workspace_id).distinct()
    ).all()
    trials = session.scalars(
        select(Trial.id)
        .join(Run, Run.id == Trial.run_id)
        .where(own, Trial.status == TrialStatus.SUCCEEDED, Run.seconds_removed_at.is_(None))
        .order_by(func.random())
        .limit(most)
    ).all()
    schedules = session.scalars(
        select(Schedule.id).where(Schedule.workspace_id == workspace_id)
    ).all()
    incidents = _list_ids(session, Incident, workspace_id, most)
    changes = _list_ids(session, Change, workspace_id, most)
    pages = {
        FIXED: ["/verdicts"],
        "run": [f"/runs/{slug}" for slug in runs],
        "answer": [f"/runs/{slug}/answer" for slug in runs],
        "ranking": [f"/runs/{slug}/ranking" for slug in runs],
        "compare": [f"/comparisons?{selection}" for selection in selections],
        "compare charts": [f"/comparisons/charts?{selection}" for selection in selections],
        "history": [f"/history?{_name_history(item)}" for item in ("node", "go-nethttp")],
        "leaderboard": [
            f"/leaderboard?{urlencode({'scenario': scenario, 'host': host})}"
            for scenario, host in boards
        ],
        "unfinished run": [f"/runs/{slug}" for slug in unfinished],
        "runs filtered": [
            *(f"/runs?{urlencode({'framework': item})}" for item in frameworks),
            *(f"/runs?{urlencode({'status': status})}" for status in ("failed", "queued")),
            "/runs?purpose=calibration",
        ],
        "framework results": [f"/frameworks/{item}/results" for item in frameworks],
        "cells": [f"/cells?{urlencode({'framework': item})}" for item in frameworks],
        "host": [f"/hosts/{name}" for name in session.scalars(select(Host.name))],
        "incident": [f"/incidents/{item}" for item in incidents],
        "change": [f"/changes/{item}" for item in changes],
        "schedule": [f"/schedules/{item}" for item in schedules],
        "trial": [f"/trials/{item}" for item in trials],
        "series": [f"/trials/{item}/series" for item in trials],
        "latency": [f"/trials/{item}/latency" for item in trials],
        "logs": [f"/trials/{item}/logs" for item in trials],
        "framework": [f"/frameworks/{item}" for item in session.scalars(select(Framework.slug))],
        "scenario": [f"/scenarios/{item}" for item in session.scalars(select(Scenario.slug))],
    }
    singles = {
        path.strip("/").partition("?")[0].replace("-", " "): [path]
        for path in (*_SINGLE, *RESTRICTED)
    }
    return {
        name: rng.sample(urls, min(most, len(urls))) for name, urls in (pages | singles).items()
    }


def _list_ids(
    session: Session, model: type[Incident | Change], workspace_id: UUID, most: int
) -> Sequence[UUID]:
    query = select(model.id).where(model.workspace_id == workspace_id)
    return session.scalars(query.order_by(func.random()).limit(most)).all()


def _name_history(framework: str) -> str:
    return urlencode({"framework": framework, "scenario": "hello", "limit": 1000})
