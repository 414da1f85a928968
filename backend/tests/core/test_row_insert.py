"""Rows that are inserted in one statement."""

from struct import error

import pytest
from sqlalchemy import delete, select
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.orm import Session

from backend.core.models import MetricValue, Sample, Trial
from backend.core.row_insert import insert_rows
from backend.core.units import Metric
from backend.tests.factories import add_host, ask_run, succeed_next


@pytest.fixture
def trial(session: Session) -> Trial:
    host = add_host(session)
    ask_run(session, count=1)
    return succeed_next(session, host.id)


def test_rows_with_documents_bytes_and_nulls_are_inserted(session: Session, trial: Trial) -> None:
    columns = Sample.__table__.columns.keys()
    query = select(Sample).where(Sample.trial_id == trial.id).order_by(Sample.phase, Sample.second)
    rows = [{name: getattr(sample, name) for name in columns} for sample in session.scalars(query)]
    rows[0] |= {"errors": {"timeout": 2}, "memory_bytes": None}
    rows[1] |= {"errors": {'"\\{}é': 1}, "latency": b"\0\xff", "bytes_sent": 2**60}
    session.execute(delete(Sample))
    session.expunge_all()

    insert_rows(session, {Sample: rows})
    insert_rows(session, {Sample: []})

    found = session.scalars(query).all()
    assert [{name: getattr(sample, name) for name in columns} for sample in found] == rows


def test_a_float_that_is_not_finite_becomes_null(session: Session, trial: Trial) -> None:
    columns = Sample.__table__.columns.keys()
    [first, *_] = session.scalars(select(Sample).where(Sample.trial_id == trial.id)).all()
    row = {name: getattr(first, name) for name in columns}
    session.execute(delete(Sample))
    session.expunge_all()

    insert_rows(session, {Sample: [row | {"cpu_mhz": float("nan"), "page_faults": float("inf")}]})
    [found] = session.scalars(select(Sample)).all()
    assert (vars(found)["cpu_mhz"], vars(found)["page_faults"]) == (None, None)

    with pytest.raises(IntegrityError, match="in_flight"):
        insert_rows(session, {Sample: [row | {"second": 99, "in_flight": float("inf")}]})


@pytest.mark.parametrize("value", [2**31, 2**63])
def test_a_number_that_is_too_large_is_refused(session: Session, trial: Trial, value: int) -> None:
    columns = Sample.__table__.columns.keys()
    [first, *_] = session.scalars(select(Sample).where(Sample.trial_id == trial.id)).all()
    row = {name: getattr(first, name) for name in columns}
    with pytest.raises((DataError, error)):
        insert_rows(session, {Sample: [row | {"second": 99, "vus": value}]})


def test_a_value_that_the_column_does_not_allow_is_refused(session: Session, trial: Trial) -> None:
    rows = [{"trial_id": trial.id, "metric": "speed", "value": 1.0}]
    with pytest.raises(LookupError, match="speed"):
        insert_rows(session, {MetricValue: rows})

    session.execute(delete(MetricValue))
    insert_rows(session, {MetricValue: [rows[0] | {"metric": "throughput_rps"}]})
    assert session.scalars(select(MetricValue.metric)).all() == [Metric.THROUGHPUT_RPS]
