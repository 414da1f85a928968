"""Stored values of a trial are read unchanged, and a second attempt replaces the first."""

from collections.abc import Sequence

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from backend.core.db import is_disk_full, is_outage
from backend.core.measurement.measurements import repository
from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.series import as_row
from backend.core.models import MetricValue, Sample, Trial
from backend.core.second import Second
from backend.core.units import Metric, Phase
from backend.tests.factories import add_host, ask_run
from backend.tests.measuring import histogram_of, second


@pytest.fixture
def trial(session: Session) -> Trial:
    add_host(session)
    return ask_run(session).trials[0]


def put(session: Session, trial: Trial, seconds: Sequence[Second], throughput: float) -> None:
    """Store these seconds, their merged histogram, and a metric."""
    merged = Histogram.merge_all(Histogram.from_varints(each.latency) for each in seconds)
    repository.replace_measurements(
        session,
        trial.id,
        seconds=seconds,
        histogram={
            "latency": merged.to_varints(),
            "service_time": None,
            "latency_failed": b"",
            "latency_sum_ns": 5_000_000_000_000,
            "latency_max_ns": 9_000_000_000,
        },
        metrics={Metric.THROUGHPUT_RPS: throughput},
    )


def test_samples_are_stored_unchanged(session: Session, trial: Trial) -> None:
    given = [
        second(0, [1.0], phase=Phase.WARM_UP),
        second(0, [1.0, 2.0, 3.0], bytes_received=2**40, errors={"timeout": 2, "reset": 1}),
        second(1, cpu_service_seconds=None, memory_bytes=None, threads=None, in_flight=0.25),
    ]

    put(session, trial, given, 1.5)
    rows = repository.list_samples(session, trial.id, None)

    assert [(row.phase, row.second) for row in rows] == [
        ("warm_up", 0),
        ("measure", 0),
        ("measure", 1),
    ]
    for row, stored in zip(rows, given, strict=True):
        for column, value in as_row(trial.id, stored).items():
            assert getattr(row, column) == value, column
    assert vars(rows[1])["latency_p50_ms"] == pytest.approx(2.0, rel=0.004)
    assert vars(rows[1])["latency_max_ms"] == pytest.approx(3.0, rel=0.004)
    assert vars(rows[2])["latency_p50_ms"] is None


def test_a_full_disk_while_samples_are_stored_is_recognized(session: Session, trial: Trial) -> None:
    session.execute(
        text(
            "CREATE FUNCTION fail_full() RETURNS trigger LANGUAGE plpgsql AS "
            "$$BEGIN RAISE disk_full; END$$"
        )
    )
    session.execute(
        text(
            "CREATE TRIGGER fail_full BEFORE INSERT ON sample "
            "FOR EACH ROW EXECUTE FUNCTION fail_full()"
        )
    )

    with pytest.raises(OperationalError) as caught:
        put(session, trial, [second(0)], 1.0)

    assert is_disk_full(caught.value)
    assert is_outage(caught.value)


def test_a_second_attempt_replaces_the_first(session: Session, trial: Trial) -> None:
    put(session, trial, [second(number, [5.0]) for number in range(20)], 1.0)
    put(session, trial, [second(0, [7.0, 8.0])], 2.0)
    put(session, trial, [second(0, [7.0, 8.0])], 2.0)

    assert session.scalar(select(func.count()).select_from(Sample)) == 1
    assert session.scalar(select(func.count()).select_from(MetricValue)) == 1
    assert repository.list_metrics(session, [trial.id]) == {trial.id: {Metric.THROUGHPUT_RPS: 2.0}}
    (stored,) = repository.list_histograms(session, [trial.id])
    assert stored.latency == histogram_of([7.0, 8.0]).to_varints()
    assert stored.latency_sum_ns == 5_000_000_000_000


def test_logs_are_replaced_by_name_and_survive_a_nul(session: Session, trial: Trial) -> None:
    repository.put_logs(session, trial.id, {"service": "first", "build": "made"})
    repository.put_logs(session, trial.id, {"service": "a\0b é 🐢"})

    logs = {log.name: log.content for log in repository.list_logs(session, trial.id)}
    assert logs == {"build": "made", "service": "a\ufffdb é 🐢"}
