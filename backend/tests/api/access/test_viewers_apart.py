"""Nothing that is computed for one viewer reaches another, also at the same time.

Viewers with different memberships send every GET operation of the contract, and the pages of runs,
at the same time to a real server. Anonymous visitors get the same responses, with the same ETags,
before and after private activity.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from backend import main
from backend.api.process import callers, database, resources
from backend.core.changes.decisions import decide_incident
from backend.core.changes.finalization.service import finalize_runs
from backend.core.changes.schedules.service import create_schedule, start_now
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.documents import CellRequest, RunRequest
from backend.core.models import Change, Host, Run, Schedule
from backend.core.people.access.permissions import Permission
from backend.core.results import snapshots
from backend.core.runs import repository, service
from backend.core.runs.live.event_stream import RunStream, publish
from backend.core.runs.live.events import EndEvent
from backend.core.statuses import ChangeStatus, Role, RunStatus, Visibility
from backend.main import create_app
from backend.tests.accounts import add_member, add_workspace, sign_in
from backend.tests.factories import (
    HOST,
    add_host,
    ask_run,
    claim_next,
    first_workspace,
    succeed,
    succeed_next,
)
from backend.tests.hidden_runs import (
    BUILDS,
    OPERATIONS,
    Known,
    add_known,
    select_queries,
    url_of,
)
from backend.tests.histories import History
from backend.tests.installation import sweep_up
from backend.tests.serving import WITHOUT_CERTIFICATES, serve
from backend.tests.waiting import LIMIT_S

PAGE = '<!doctype html><head><title>Tacho</title></head><body><div id="root"></div></body>'
# They are not part of the contract.
PAGES = ("/runs/{run_id}", "/r/{run_id}", "/r/{run_id}/preview.png")
# The state of parts changes with the time.
HEALTH = "/api/v1/health"
PATHS = (*(path for path in OPERATIONS if path != HEALTH), *PAGES)
ANONYMOUS = "anonymous"
# Members of the workspace with the private runs, and others. `both` is one person, who may open the
# private runs also while the other workspace is selected.
INSIDERS = ("main", "both in main", "both in other")
OUTSIDERS = (ANONYMOUS, "other")
_USED = re.compile(r'"used":[\d.e-]+')


@dataclass(frozen=True)
class Installation:
    """A server, and what is in its database.

    Attributes:
        names: of the public objects, of a private finished run, and of a private unfinished run.
        viewers: the headers of each viewer.
    """

    url: str
    host_id: UUID
    known: Known
    names: Mapping[str, Mapping[str, str]]
    viewers: Mapping[str, Mapping[str, str]]


@pytest.fixture(scope="module")
def installed(
    installation: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    assets = tmp_path_factory.mktemp("assets")
    dist = assets / "frontend" / "dist"
    dist.mkdir(parents=True)
    for name in ("index.html", "run-page.html"):
        (dist / name).write_text(PAGE)
    (dist / "first-chart-links.html").write_text("")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACHO_LIMIT_REQUESTS", "0")
        # The same viewers send thousands of requests.
        patch.setattr(callers, "BURST_SECONDS", 1e9)
        patch.setattr(callers, "FREE_SECONDS", 1e9)
        # On a busy machine a turn may take longer than other requests would wait for it.
        for limiting in (database, resources):
            patch.setattr(limiting, "_WAIT_SECONDS", LIMIT_S)
        patch.setattr(main, "ASSETS", assets)
        get_settings.cache_clear()
        known = add_known()
        with unit_of_work() as session:
            viewers = _add_viewers(session)
            host_id = session.scalars(select(Host.id)).one()
            names = {"public": known.paths} | _add_private(session, host_id, known)
            _stay_online(session)
        with serve(create_app()) as url:
            yield Installation(url, host_id, known, names, viewers)
    get_settings.cache_clear()
    sweep_up()


def _add_viewers(session: Session) -> dict[str, dict[str, str]]:
    add_workspace(session, "other")
    main_only = add_member(session, "ada@example.org", Role.VIEWER)
    other_only = add_member(session, "eve@example.org", Role.OWNER, workspace="other")
    both = add_member(session, "bob@example.org", Role.VIEWER)
    add_member(session, "bob@example.org", Role.VIEWER, workspace="other")
    return {
        ANONYMOUS: {},
        "other": sign_in(session, other_only),
        "main": sign_in(session, main_only),
        "both in main": sign_in(session, both, workspace="main"),
        "both in other": sign_in(session, both, workspace="other"),
    }


def _add_private(session: Session, host_id: UUID, known: Known) -> dict[str, dict[str, str]]:
    """Add private objects of every kind; return the names of those of two private runs."""
    history = History(session, host_id, ("go-nethttp",), visibility="private")
    history.land(24, 10.0, BUILDS[0])
    history.land(6, 10.8, BUILDS[1])
    change = session.scalars(select(Change).where(Change.framework == "go-nethttp")).one()
    schedule = _add_schedule(session)
    of_title = {run.title: run for run in known.hidden if run.visibility == "private"}
    finished, unfinished = of_title["Secret private"], of_title["Secret wait private"]
    others = {
        "change_id": str(change.id),
        "incident_id": str(change.incident_id),
        "schedule_id": str(schedule.id),
        "comparison_hash": snapshots.save(
            session, first_workspace(session), {"saved": "Secret"}, [finished]
        ),
    }
    for run in (finished, unfinished):
        publish(RunStream(HOST, run.id), EndEvent(status=RunStatus.SUCCEEDED))
    return {
        "private finished": known.paths | others | _names_of(finished),
        "private unfinished": known.paths | others | _names_of(unfinished),
    }


def _stay_online(session: Session) -> None:
    """Let all hosts count as online during the tests."""
    session.execute(update(Host).values(seen_at=datetime.now(UTC) + timedelta(hours=1)))


def _names_of(run: Run) -> dict[str, str]:
    return {
        "run_id": run.slug,
        "trial_id": str(run.trials[0].id),
        "cell_id": str(run.cells[0].id),
    }


def _add_schedule(session: Session) -> Schedule:
    request = RunRequest(
        [CellRequest("node", "hello")], 1, host=HOST, visibility=Visibility.PRIVATE
    )
    return create_schedule(
        session,
        first_workspace(session),
        name="Secret schedule",
        cron="0 2 * * *",
        time_zone="UTC",
        request=request,
    )


@dataclass(frozen=True)
class Shown:
    """The response that a viewer got."""

    status: int
    etag: str | None
    modified: str | None
    text: str


async def get(client: httpx2.AsyncClient, url: str, query: Any, headers: Any) -> Shown:
    answer = await client.get(url, params=query, headers=headers)
    found = answer.headers
    # The computing time that a caller has used changes with each request and with time.
    text = _USED.sub("", answer.text) if answer.url.path == "/api/v1/limits" else answer.text
    return Shown(answer.status_code, found.get("etag"), found.get("last-modified"), text)


def open_client(installed: Installation) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        base_url=installed.url, timeout=LIMIT_S, trust_env=False, verify=WITHOUT_CERTIFICATES
    )


def list_requests(installed: Installation, path: str) -> dict[str, Mapping[str, Any]]:
    """Return the addresses of an operation, each with its query."""
    is_named = "{" in path or path.startswith("/api/v1/comparisons")
    wanted = installed.names.values() if is_named else [installed.names["public"]]
    return {
        f"{url_of(path, names)}#{names['run_id']},{names['cell_id']}": select_queries(
            path, installed.known.queries | {"cells": [names["cell_id"]]}
        )
        for names in wanted
    }


def list_traces(installed: Installation) -> list[str]:
    """Return what only insiders may see, also by its exact name."""
    private = [run for run in installed.known.hidden if run.visibility == "private"]
    return ["Secret", *Known(private).list_traces()]


@pytest.mark.parametrize("path", PATHS)
def test_viewers_at_the_same_time_get_what_each_gets_alone(
    path: str, installed: Installation
) -> None:
    async def ask() -> list[tuple[str, str, list[Shown], list[Shown]]]:
        found = []
        async with open_client(installed) as client:
            for url, query in list_requests(installed, path).items():

                async def ask_as(
                    viewer: str, url: str = url, query: Mapping[str, Any] = query
                ) -> Shown:
                    return await get(client, url, query, installed.viewers[viewer])

                alone = {viewer: await ask_as(viewer) for viewer in installed.viewers}
                order = [*installed.viewers]
                together: dict[str, list[Shown]] = {viewer: [] for viewer in order}
                # Insiders come first, and outsiders come first.
                for wave in (order[::-1], order):
                    for viewer, shown in zip(
                        wave, await asyncio.gather(*map(ask_as, wave)), strict=True
                    ):
                        together[viewer].append(shown)
                for viewer, first in alone.items():
                    # Some responses change with time. Those differ alone, too.
                    is_same = set(together[viewer]) == {first}
                    again = first if is_same else await ask_as(viewer)
                    found.append((f"{viewer} {url}", viewer, [first, again], together[viewer]))
        return found

    traces = list_traces(installed)
    for what, viewer, alone, together in asyncio.run(ask()):
        assert {shown.status for shown in together} == {alone[0].status}, what
        if viewer in OUTSIDERS:
            texts = "".join(shown.text for shown in together)
            assert [trace for trace in traces if trace in texts and trace not in what] == [], what
        if alone[0] == alone[1]:
            assert set(together) == {alone[0]}, what


def test_viewers_see_no_private_run_that_starts_or_ends_meanwhile(installed: Installation) -> None:
    created: list[Run] = []
    ends = asyncio.Event()

    def run_privately() -> None:
        while not ends.is_set():
            with unit_of_work() as session:
                run = ask_run(session, visibility="private", title="Secret race")
                created.append(repository.get_run(session, str(run.id)))
            with unit_of_work() as session:
                # The trials of other runs wait ahead.
                while (trial := claim_next(session, installed.host_id)).run_id != run.id:
                    succeed(session, trial)
            with unit_of_work() as session:
                succeed(session, session.merge(trial))
            finalize_runs()
            with unit_of_work() as session:
                service.delete_run(session, repository.get_run(session, str(run.id)))

    async def ask() -> list[tuple[str, Shown]]:
        found = []
        viewers = (*OUTSIDERS, *INSIDERS)
        async with open_client(installed) as client:
            with ThreadPoolExecutor(1) as pool:
                writing = pool.submit(run_privately)
                try:
                    for path in PATHS:
                        for _ in range(2):
                            named = dict(installed.names["public"])
                            if created:
                                named |= _names_of(created[-1])
                            url = url_of(path, named)
                            query = select_queries(
                                path, installed.known.queries | {"cells": [named["cell_id"]]}
                            )
                            # A stream ends with its run, and an export with a deleted run.
                            if "/events" in url or "/export." in url:
                                continue
                            answers = await asyncio.gather(
                                *(
                                    get(client, url, query, installed.viewers[viewer])
                                    for viewer in viewers
                                )
                            )
                            found += [
                                (f"{url}#{named['cell_id']}", shown)
                                for viewer, shown in zip(viewers, answers, strict=True)
                                if viewer in OUTSIDERS
                            ]
                finally:
                    ends.set()
                writing.result()
        return found

    found = asyncio.run(ask())

    assert len(created) > 2
    traces = [*list_traces(installed), *Known(created).list_traces()]
    for url, shown in found:
        assert shown.status < 500, url
        # The address of a page may be part of it.
        text = shown.text.replace(url.partition("#")[0], "")
        assert [trace for trace in traces if trace in text and trace not in url] == [], url


# Visitors see that a host is busy, because their own runs wait for it.
SHOWN_OF_PRIVATE_RUNS = {"state", "status"}


def act_on(title: str, act: Callable[[Session, Run], object]) -> Callable[[UUID], None]:
    """Return what does something with a run of this title."""

    def do(_: UUID) -> None:
        with unit_of_work() as session:
            (run_id,) = session.scalars(select(Run.id).where(Run.title == title))
            act(session, repository.get_run(session, str(run_id)))

    return do


def create(_: UUID) -> None:
    with unit_of_work() as session:
        ask_run(session, visibility="private", title="Secret next", host=SECOND_HOST)


def start(host_id: UUID) -> None:
    with unit_of_work() as session:
        claim_next(session, host_id)


def finish(session: Session, run: Run) -> None:
    succeed(session, run.trials[0])


def finalize(_: UUID) -> None:
    finalize_runs()


def decide(**decision: Any) -> Callable[[UUID], None]:
    """Return what decides about the private incident."""

    def do(_: UUID) -> None:
        with unit_of_work() as session:
            changes = session.scalars(select(Change).where(Change.framework == "go-nethttp")).all()
            decide_incident(
                session,
                first_workspace(session),
                changes[0].incident_id,
                {change.id for change in changes},
                decision.get("status"),
                decision.get("note"),
                None,
                is_acknowledged=decision.get("is_acknowledged"),
            )

    return do


def add_schedule(_: UUID) -> None:
    with unit_of_work() as session:
        _add_schedule(session).name = "Secret next schedule"


def act_on_schedule(act: Callable[[Session, Schedule], object]) -> Callable[[UUID], None]:
    def do(_: UUID) -> None:
        with unit_of_work() as session:
            own = select(Schedule).where(Schedule.name == "Secret next schedule")
            act(session, session.scalars(own).one())

    return do


SECOND_HOST = "bench-02"
# Acts of one round change different objects, so that none of them hides what another one shows.
ACTIVITY: Mapping[str, tuple[Callable[[UUID], None], ...]] = {
    "a run and a schedule are created": (create, add_schedule),
    "a run and a schedule are started": (
        start,
        act_on_schedule(lambda session, own: start_now(session, own.workspace_id, own.id)),
    ),
    "a run is finished, a schedule is paused": (
        act_on("Secret first", finish),
        act_on_schedule(lambda _, own: setattr(own, "enabled", False)),
    ),
    "a run is finalized, a schedule is deleted": (
        finalize,
        act_on_schedule(lambda session, own: session.delete(own)),
    ),
    "a run is renamed, an incident is confirmed": (
        act_on(
            "Secret first",
            lambda session, run: service.change_run(session, run, title="Secret last"),
        ),
        decide(status=ChangeStatus.CONFIRMED),
    ),
    "a run is cancelled, an incident is acknowledged": (
        act_on("Secret next", service.cancel_run),
        decide(is_acknowledged=True),
    ),
    "a run is deleted, an incident has a note": (
        act_on("Secret last", service.delete_run),
        decide(note="Secret note"),
    ),
}


def test_private_activity_changes_nothing_for_visitors(installed: Installation) -> None:
    with unit_of_work() as session:
        host_id = _add_second_host(session)
        _stay_online(session)
    finalize_runs()
    urls = {
        url_of(path, installed.known.paths): select_queries(path, installed.known.queries)
        for path in PATHS
        if _is_open(path)
    }
    first = read_as_visitor(installed, urls)
    # Times of the clock have passed a second.
    time.sleep(1.1)
    second = read_as_visitor(installed, urls)
    volatile = {url: find_differences(first[url], second[url]) for url in urls}
    stable = [url for url in urls if not volatile[url]]
    assert len(stable) > 40

    for what, acts in ACTIVITY.items():
        for act in acts:
            act(host_id)
        now = read_as_visitor(installed, urls)
        for url in urls:
            hidden = find_differences(first[url], now[url]) - volatile[url]
            names = {leaf.rpartition(".")[2] for leaf in hidden}
            assert names <= SHOWN_OF_PRIVATE_RUNS, (what, url, hidden)
            if url in stable and not hidden:
                assert now[url] == first[url], (what, url)


def _add_second_host(session: Session) -> UUID:
    """Add a host with a result, a private run, and a public run that waits for it."""
    host = add_host(session, SECOND_HOST)
    ask_run(session, visibility="public", title="Public result", host=SECOND_HOST)
    succeed_next(session, host.id)
    ask_run(session, visibility="private", title="Secret first", host=SECOND_HOST)
    ask_run(session, visibility="public", title="Public wait", host=SECOND_HOST)
    return host.id


def _is_open(path: str) -> bool:
    return path not in OPERATIONS or OPERATIONS[path] == Permission.OPEN.value


def read_as_visitor(
    installed: Installation, urls: Mapping[str, Mapping[str, Any]]
) -> dict[str, Shown]:
    """Return what a visitor gets by each address, which is given with its query."""

    async def ask() -> list[Shown]:
        async with open_client(installed) as client:
            return [await get(client, url, query, {}) for url, query in urls.items()]

    return dict(zip(urls, asyncio.run(ask()), strict=True))


def find_differences(one: Shown, other: Shown) -> set[str]:
    """Return the paths of the values that differ between two responses."""
    leaves, others = list_leaves(one), list_leaves(other)
    return {name for name in {*leaves, *others} if leaves.get(name) != others.get(name)}


def list_leaves(shown: Shown) -> dict[str, object]:
    """Return the values of a JSON document by path; of another body, the whole text."""
    found: dict[str, object] = {"status code": shown.status}

    def add(name: str, value: object) -> None:
        if isinstance(value, dict):
            for key, own in value.items():
                add(f"{name}.{key}", own)
        elif isinstance(value, list):
            found[f"{name}.length"] = len(value)
            for index, own in enumerate(value):
                add(f"{name}[{index}]", own)
        else:
            found[name] = value

    try:
        add("", json.loads(shown.text))
    except ValueError:
        found["text"] = shown.text
    return found
