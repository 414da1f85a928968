"""Typed JSON columns: they validate when they are written, and return their type when read."""

from typing import cast

import pytest
from sqlalchemy import select
from sqlalchemy.exc import StatementError
from sqlalchemy.orm import Session

from backend.core.documents import Failure, HostFingerprint
from backend.core.models import Host, Trial
from backend.core.units import FailureCause
from backend.tests.factories import add_host, ask_run

FAILURE = Failure(
    code="build_failed",
    title="Build failed",
    detail="It did not build.",
    cause=FailureCause.SERVICE,
    stage="building",
    evidence=[{"name": "status", "passed": False, "expected": "200", "got": "500"}],
)


@pytest.fixture
def trial(session: Session) -> Trial:
    add_host(session)
    return ask_run(session).trials[0]


def test_a_document_is_read_as_its_type(session: Session, trial: Trial) -> None:
    trial.failure = FAILURE
    session.flush()
    session.expire_all()

    assert trial.failure == FAILURE
    assert isinstance(trial.failure.cause, FailureCause)


def test_a_document_without_a_value_is_null_in_sql(session: Session, trial: Trial) -> None:
    trial.failure = FAILURE
    session.flush()
    trial.failure = None
    session.flush()

    assert session.scalars(select(Trial.failure.is_(None))).all() == [True]


@pytest.mark.parametrize(
    "failure",
    [
        {**FAILURE.model_dump(), "cause": "weather"},
        {**FAILURE.model_dump(), "reason": "an unknown key"},
        {key: value for key, value in FAILURE.model_dump().items() if key != "stage"},
    ],
)
def test_an_invalid_document_is_not_written(
    session: Session, trial: Trial, failure: dict[str, object]
) -> None:
    trial.failure = cast("Failure", failure)

    with pytest.raises(StatementError):
        session.flush()


def test_a_fingerprint_of_another_version_keeps_its_values(session: Session, trial: Trial) -> None:
    host = session.get_one(Host, trial.host_id)
    host.fingerprint = cast("HostFingerprint", {"sockets": 4})
    session.flush()
    session.expire_all()

    assert host.fingerprint == {"sockets": 4}
