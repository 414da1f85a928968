"""A stolen host key writes hostile values everywhere it can; everybody else goes on working."""

import contextlib
import hashlib
import json
import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import UUID

import psycopg
import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError
from sqlalchemy import Engine, make_url, select
from sqlalchemy.orm import sessionmaker

from backend.core import db
from backend.core.catalog.service import load_catalog
from backend.core.changes.finalization.service import finalize_runs
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.models import Cell, Trial
from backend.core.operations.bench_hosts import broker
from backend.core.operations.bench_hosts.roles import set_up_roles
from backend.core.queue import REQUESTS, get_redis, open_redis
from backend.core.runs import repository
from backend.core.runs.live.event_stream import RunStream
from backend.core.runs.trials import service as trials
from backend.core.statuses import Role, RunStatus, TrialStatus, Visibility
from backend.core.units import RuntimeKind
from backend.main import create_app
from backend.tests.accounts import add_person, sign_in
from backend.tests.api.browsing import ORIGIN, OWN, VISITOR
from backend.tests.core.operations.bench_hosts.conftest import SignedIn
from backend.tests.core.operations.bench_hosts.conftest import sign_in as sign_in_host
from backend.tests.core.operations.bench_hosts.hostile_values import (
    change_document,
    list_channels,
    list_places,
    write_channels,
    write_columns,
)
from backend.tests.factories import ask_run
from backend.tests.openapi import openapi_document
from worker.dispatcher.app import RequestReader
from worker.pipeline.collect import store_results
from worker.pipeline.reporter import Reporter
from worker.pipeline.run import to_assignment
from worker.remote.channels import LoadHostChannel, ServiceChannel, reports_key, signals_key
from worker.runtime.process import ProcessRuntime
from worker.stages.assignment import Assignment
from worker.tests.pipeline.test_collect import make_outputs
from worker.tests.stages.contexts import make_context

__all__ = ["sign_in_host"]

SEED = int(os.environ.get("SEED", "1"))
# Each takes about 20 seconds.
ROUNDS = int(os.environ.get("HOSTILE_ROUNDS", "1"))
HOSTILE, HONEST = "bench-01", "bench-02"
NAME = "tacho_host_0123456789abcdef"
LOAD_ID = "00000000-0000-0000-0000-000000000000.1"
# It never ends while the run has not ended.
HEALTH = "/api/v1/health"
STREAM = "/api/v1/runs/{run_id}/events"


@pytest.fixture
def hosts(sign_in_host: Callable[[str], SignedIn]) -> tuple[SignedIn, SignedIn]:
    """A hostile host and an honest one, each with a trial that it holds, and users of both."""
    return sign_in_host(HOSTILE), sign_in_host(HONEST)


@pytest.fixture
def browsers(database: Settings) -> Iterator[Mapping[str, tuple[TestClient, dict[str, str]]]]:
    """Clients of an operator, a member and an anonymous visitor, with their headers."""
    with unit_of_work() as session:
        operator = add_person(session, "olga@example.org", role=Role.OWNER, is_operator=True)
        member = add_person(session, "max@example.org")
        headers = {"operator": sign_in(session, operator), "member": sign_in(session, member)}
    with TestClient(
        create_app(),
        ORIGIN,
        client=VISITOR,
        raise_server_exceptions=False,
    ) as client:
        yield {
            name: (client, headers.get(name, {})) for name in ("operator", "member", "anonymous")
        }


@contextmanager
def work_as(engine: Engine) -> Iterator[None]:
    """Let units of work use the user of a bench host, as in its worker."""
    with pytest.MonkeyPatch.context() as patch:
        maker = sessionmaker(engine, expire_on_commit=False)
        patch.setattr(db, "_session_factory", lambda: maker)
        yield


def measure(host: SignedIn, assignment: Assignment, runtime: ProcessRuntime) -> None:
    """Run a claimed trial as a worker does, without a service and a load."""
    with work_as(host.engine):
        context = make_context(runtime, assignment)
        context = replace(context, bench=replace(context.bench, host_id=host.host_id))
        reporter = Reporter(assignment, host.name, RuntimeKind.PROCESS)
        reporter.begin()
        for stage in ("starting", "verifying", "warming_up", "measuring", "collecting"):
            reporter.enter(TrialStatus(stage))
        store_results(context, make_outputs(context))
        reporter.end(TrialStatus.SUCCEEDED)
        reporter.close()


@cache
def list_pages() -> list[str]:
    return [path for path, methods in openapi_document()["paths"].items() if "get" in methods]


def list_urls(runs: Mapping[str, UUID]) -> list[str]:
    """Return the address of each page, about each of these runs."""
    urls = []
    query = ""
    for run_id in runs.values():
        with unit_of_work() as session:
            cells = session.scalars(select(Cell.id).where(Cell.run_id == run_id)).all()
            trial = session.scalars(
                select(Trial.id).where(Trial.run_id == run_id).order_by(Trial.position).limit(1)
            ).one()
        # The same for all runs, so that pages about no run are fetched once.
        query = query or f"framework=node&scenario=hello&cron=0+2+*+*+*&cells={cells[0]}"
        names: dict[str, Any] = {
            **dict.fromkeys(("change_id", "incident_id", "schedule_id", "webhook_id"), runs["own"]),
            "run_id": run_id,
            "cell_id": cells[0],
            "trial_id": trial,
            "group": "none",
            "comparison_hash": "none",
            "guard_id": runs["own"],
            "digest": "0" * 64,
            "name": HOSTILE,
            "framework": "node",
            "scenario": "hello",
            "metric": "boot_ms",
        }
        for path in list_pages():
            if path == STREAM:
                continue
            slugs = {"frameworks": "node", "scenarios": "hello", "studies": "jvm-backend-services"}
            noun = path.removeprefix("/api/v1/").partition("/")[0]
            for suffix in ("csv", "json", "md", "html") if "{suffix}" in path else ("",):
                address = path.format(**names, slug=slugs.get(noun, "none"), suffix=suffix)
                urls.append(f"{address}?{query}")
        urls.append(f"/r/{run_id}")
    return list(dict.fromkeys(urls))


def find_faults(
    browsers: Mapping[str, tuple[TestClient, dict[str, str]]], urls: list[str]
) -> list[str]:
    """Return the pages that do not answer."""
    # Their parts do not run here, or are not built.
    missing = (HEALTH, "export.html")
    faults = []
    for viewer, (client, headers) in browsers.items():
        for url in urls:
            answer = client.get(url, headers=headers)
            path = url.partition("?")[0]
            if answer.status_code >= 500 and not path.endswith(missing):
                faults.append(f"{viewer} {path}: {answer.status_code}")
    return faults


def test_every_page_and_every_other_host_goes_on(
    hosts: tuple[SignedIn, SignedIn],
    browsers: Mapping[str, tuple[TestClient, dict[str, str]]],
    process_runtime: ProcessRuntime,
    database: Settings,
) -> None:
    hostile, honest = hosts
    chance = random.Random(SEED)
    with unit_of_work() as session:
        trials.give_back(session, trials.TrialClaim(honest.trial_id, 1))
    first = claim(honest)
    assert first is not None
    measure(honest, first, process_runtime)
    with unit_of_work() as session:
        waiting = ask_run(session, visibility=Visibility.PUBLIC, host=HOSTILE).id
    finalize_runs()
    runs = {"own": hostile.run_id, "waiting": waiting, "honest": honest.run_id}
    with psycopg.connect(open_url(hostile), autocommit=True) as connection:
        for _ in range(ROUNDS):
            outcome = write_columns(connection, hostile.host_id, hostile.trial_id, chance)
            assert outcome.tried == list_places()
            write_redis(database, hostile)
            check(browsers, runs, outcome.accepted)
        assert end_trials(connection, find_environment(honest), chance)
    # The dispatcher finalizes the run that the host has ended, or notes why it cannot.
    finalize_runs()
    check(browsers, runs, {})
    client, headers = browsers["operator"]
    for run_id in (hostile.run_id, waiting):
        path = f"/api/v1/runs/{run_id}"
        cancelled = client.post(f"{path}/cancel", headers=headers | OWN)
        # A run that has ended cannot be cancelled.
        assert cancelled.status_code in {200, 409}, cancelled.text
        assert client.get(f"{path}/events", headers=headers).status_code == 200
        assert client.delete(path, headers=headers | OWN).status_code == 204
    while assignment := claim(honest):
        measure(honest, assignment, process_runtime)
    with unit_of_work() as session:
        assert repository.get_run_row(session, honest.run_id).status == RunStatus.SUCCEEDED


def claim(host: SignedIn) -> Assignment | None:
    """Claim the next trial of a host as its worker does."""
    with work_as(host.engine), unit_of_work() as session:
        trial = trials.claim_next(session, host.host_id)
        return None if trial is None else to_assignment(trial)


def check(
    browsers: Mapping[str, tuple[TestClient, dict[str, str]]],
    runs: Mapping[str, UUID],
    accepted: object,
) -> None:
    """Fail if a page does not answer, or Tacho does not start."""
    faults = find_faults(browsers, list_urls(runs))
    assert "\n".join(faults) == "", accepted
    with unit_of_work() as session:
        load_catalog(session, get_settings().services_dir)
    assert set_up_roles(get_settings().database_url) == ""


def find_environment(host: SignedIn) -> object:
    """Return the environment of a trial that an honest worker has stored."""
    with unit_of_work() as session:
        return session.get_one(Trial, host.trial_id).environment


def end_trials(connection: psycopg.Connection, environment: object, chance: random.Random) -> bool:
    """End all trials of the host with hostile results; return whether the database let it."""
    is_ended = False
    for status in ("succeeded", "failed", "succeeded"):
        for _ in range(30):
            changed = json.dumps(change_document(environment, chance))
            with contextlib.suppress(psycopg.Error):
                done = connection.execute(
                    "UPDATE trial SET status = %s, started_at = now(), finished_at = now(), "
                    "lease_until = NULL, runtime = 'process', image_digest = 'x', "
                    "environment = %s WHERE status NOT IN ('succeeded', 'failed', 'cancelled')",
                    (status, changed),
                )
                is_ended |= done.rowcount > 0
    with contextlib.suppress(psycopg.Error):
        connection.execute("UPDATE run SET status = 'succeeded', finished_at = now()")
    return is_ended


def open_url(host: SignedIn) -> str:
    url = make_url(str(host.engine.url)).set(
        drivername="postgresql", password=host.credentials.database_password
    )
    return url.render_as_string(hide_password=False)


def write_redis(database: Settings, host: SignedIn) -> None:
    """Write hostile values into all channels, and let their readers read them."""
    digest = hashlib.sha256(b"secret").hexdigest()
    broker.put_users(get_redis(), {NAME: (digest, HOSTILE)})
    url = f"redis://{NAME}:secret@{database.redis_url.rpartition('@')[2]}"
    with open_redis(url) as client:
        outcome = write_channels(client, HOSTILE, host.run_id, LOAD_ID)
    broker.delete_users(get_redis(), [NAME])
    assert outcome.tried == set(list_channels(HOSTILE, "0" * 64))
    assert outcome.accepted
    assert get_redis().exists(RunStream(HOSTILE, host.run_id).key)
    reader = RequestReader(lambda: None, lambda: None)
    while (request := get_redis().rpop(REQUESTS)) is not None:
        assert isinstance(request, bytes)
        reader.handle(request)
    service = ServiceChannel(get_redis(), HONEST, [HOSTILE], LOAD_ID)
    service.read(1)
    assert get_redis().exists(reports_key(HONEST, HOSTILE, LOAD_ID))
    assert get_redis().exists(signals_key(HOSTILE, HONEST, LOAD_ID))
    load = LoadHostChannel(get_redis(), HOSTILE, HONEST, LOAD_ID)
    with pytest.raises(ValidationError):
        load.read_order()
    load.read(1)
