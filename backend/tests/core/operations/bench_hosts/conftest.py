"""Two bench hosts, each with a trial, and engines that are signed in as the users of the hosts."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from uuid import UUID

import pytest
from sqlalchemy import Engine, create_engine, make_url
from sqlalchemy.pool import NullPool

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import Host
from backend.core.operations.bench_hosts import repository
from backend.core.operations.bench_hosts.credentials import (
    HostCredentials,
    create_credentials,
    synchronize,
)
from backend.tests.factories import add_host, ask_run, claim_next, put_measurements


@dataclass(frozen=True)
class SignedIn:
    """A bench host with its credentials and a trial that it has claimed."""

    host_id: UUID
    name: str
    credentials: HostCredentials
    engine: Engine
    run_id: UUID
    trial_id: UUID


@pytest.fixture
def sign_in(database: Settings) -> Iterator[Callable[[str], SignedIn]]:
    """A function that adds a host of this name and signs in as its user."""
    with ExitStack() as exits:

        def act(name: str) -> SignedIn:
            with unit_of_work() as session:
                host_id = add_host(session, name).id
                run_id = ask_run(session, host=name, count=2).id
                trial = claim_next(session, host_id)
                put_measurements(session, trial, [1.0, 2.0])
                trial_id = trial.id
            credentials = grant(host_id)
            engine = open_engine(database.database_url, credentials)
            exits.callback(engine.dispose)
            return SignedIn(host_id, name, credentials, engine, run_id, trial_id)

        yield act
    with unit_of_work() as session:
        for credential, _ in repository.list_valid(session):
            credential.host_id = None
    with unit_of_work() as session:
        synchronize(session)


def grant(host_id: UUID) -> HostCredentials:
    with unit_of_work() as session:
        return create_credentials(session, session.get_one(Host, host_id))


def open_engine(database_url: str, credentials: HostCredentials) -> Engine:
    url = make_url(database_url).set(
        username=credentials.database_user, password=credentials.database_password
    )
    return create_engine(url, poolclass=NullPool)


@pytest.fixture
def mine(sign_in: Callable[[str], SignedIn]) -> SignedIn:
    return sign_in("bench-01")


@pytest.fixture
def other(sign_in: Callable[[str], SignedIn]) -> SignedIn:
    return sign_in("bench-02")
