"""Fill the database of an installation for benchmarks; see `installation`.

10,000 runs cover two years, with 100,000 trials of 180 s and 18 million rows of seconds, in 25 GB.
Frameworks and scenarios are those of the catalogue. The values are generated: each framework ×
scenario has a level, noise between runs and trials, and occasional level shifts. `node` and
`go-nethttp` on `hello` are every tenth run, so their history is long. A further run has 20
frameworks with 600 s each, for the most crowded charts.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from typing import Any

import numpy as np
from psycopg.types.json import Jsonb
from sqlalchemy import text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session
from sqlalchemy.types import TypeEngine

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.registration import read_sources, register_sources
from backend.core.catalog.service import register_host
from backend.core.config import get_settings
from backend.core.db import Base, get_engine, unit_of_work
from backend.core.measurement.measurements.histogram import Histogram as Distribution
from backend.core.measurement.measurements.partitions import (
    create_coming_partitions,
    first_of_month,
)
from backend.core.models import Cell, Host, MetricValue, Run, Trial, TrialHistogram
from backend.core.results.cell_charts import write_charts
from backend.core.results.cell_summary import write_summaries
from backend.core.results.run_results.answer.stored import write_outcome
from backend.core.runs import repository as runs
from backend.core.units import RuntimeKind
from tools.benchmarks.accounts import find_first_workspace
from tools.benchmarks.scale import (
    ENVIRONMENT,
    RATE_RPS,
    SECONDS,
    WIDE_SECONDS,
    WIDE_TRIALS,
    Rows,
    choose_pairs,
    choose_wide,
    draw_metrics,
    draw_pairs,
    draw_run,
)

HOST = "scale-01"
_YEARS = 2
_SHAPES = 40
_BATCH_RUNS = 25
_SAMPLES = text(
    """
    INSERT INTO sample (trial_id, phase, second, requests, failed, errors, bytes_sent,
      bytes_received, dropped, vus, in_flight, latency_p50_ms, latency_p90_ms, latency_p95_ms,
      latency_p99_ms, latency_max_ms, latency, cpu_service_seconds, cpu_backing_seconds,
      cpu_load_seconds, cpu_other_seconds, cpu_steal_seconds, throttled_seconds, memory_bytes,
      memory_anon_bytes, memory_file_bytes, memory_sock_bytes, threads)
    SELECT trial.id, 'measure', second, :rate, 0, '{}', 90 * :rate, 160 * :rate, 0, 50, 1.1,
      shape.p50, shape.p90, shape.p95, shape.p99, shape.max, shape.latency, 0.09, 0, 0.2, 0.01, 0,
      0, 150000000 + second * 1000, 110000000 + second * 1000, 30000000, 4096, 20
    FROM trial CROSS JOIN generate_series(0, :seconds - 1) AS second
    JOIN scale_shape AS shape ON shape.id = (trial.position * 7 + second) % :shapes
    WHERE trial.run_id = ANY(:runs) AND trial.status = 'succeeded'
    ORDER BY trial.id, second
    """
)


def seed(
    run_count: int,
    seconds: int,
    *,
    wide_trials: int = WIDE_TRIALS,
    wide_seconds: int = WIDE_SECONDS,
) -> str:
    """Fill the database of the settings, which has its schema and catalogue.

    Returns the slug of the widest run.
    """
    rng = np.random.default_rng(1)
    with unit_of_work() as session:
        host = register_made_up_host(session, HOST)
        pairs = draw_pairs(session, rng, run_count)
        shapes = put_shapes(session, rng)
    end = datetime.now(UTC)
    begin = end - timedelta(days=365 * _YEARS)
    with unit_of_work() as session:
        for months in range(12 * _YEARS + 1):
            create_coming_partitions(session, first_of_month(end.date(), -months))
    pause = timedelta(days=365 * _YEARS) / (run_count + 1)
    wide = draw_run(
        rng, host, choose_wide(pairs), run_count, begin + run_count * pause, wide_trials
    )
    drawn = [
        draw_run(rng, host, choose_pairs(rng, pairs, item), item, begin + item * pause)
        for item in range(run_count)
    ]
    batches = [
        ([wide], wide_seconds),
        *(
            (drawn[first : first + _BATCH_RUNS], seconds)
            for first in range(0, run_count, _BATCH_RUNS)
        ),
    ]
    # One process per CPU, because PostgreSQL and Python's summaries take about equally long.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        tasks = [
            pool.submit(put_runs, number, rows, shapes, each)
            for number, (rows, each) in enumerate(batches)
        ]
        done = 0
        for task in as_completed(tasks):
            done += task.result()
            print(f"\r{done:>8,} runs", end="", flush=True)
    print()
    with unit_of_work() as session:
        session.execute(text("DROP TABLE scale_shape"))
    vacuum()
    return str(wide.run["slug"])


def register_made_up_host(session: Session, name: str) -> Host:
    """Register a host of `ENVIRONMENT`, with the sources of the catalogue, as its worker does."""
    host = register_host(
        session,
        name,
        runtime=RuntimeKind.DOCKER,
        fingerprint=ENVIRONMENT["host"],
        fingerprint_digest=ENVIRONMENT["host_digest"],
        harness=ENVIRONMENT["harness"],
    )
    register_sources(session, host.id, read_sources(Catalogue(get_settings().services_dir)))
    return host


def vacuum(*tables: str) -> None:
    """Remove the rows of these tables, or of all, that were deleted, and count the others.

    PostgreSQL does so each minute.

    Seeding replaces the same versions of data tens of thousands of times. Until the old rows are
    removed, every statement that finds a version reads them.
    """
    with get_engine().connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(
            text(f"VACUUM ANALYZE {', '.join(tables)}")
        )


def put_runs(number: int, rows: Sequence[Rows], shapes: Sequence[bytes], seconds: int) -> int:
    """Write a batch of ended runs with their summaries, and return their number."""
    rng = np.random.default_rng([2, number])
    with unit_of_work() as session:
        copy_runs(session, rng, rows, shapes, seconds)
        for run_id in [row.run["id"] for row in rows]:
            run = runs.get_run(session, str(run_id))
            summaries = write_summaries(session, run)
            write_charts(session, run_id)
            write_outcome(session, run, summaries)
    return len(rows)


def put_shapes(session: Session, rng: np.random.Generator) -> list[bytes]:
    """Store seconds to draw from in a table, and return their distributions."""
    session.execute(
        text(
            "CREATE TABLE scale_shape (id integer PRIMARY KEY, latency bytea, p50 float,"
            " p90 float, p95 float, p99 float, max float)"
        )
    )
    encoded = []
    for number in range(_SHAPES):
        latencies_ns = (rng.lognormal(0, 0.6, RATE_RPS) * 1e6).astype(np.int64)
        encoded.append(make_distribution(latencies_ns).to_varints())
        p50, p90, p95, p99 = np.quantile(latencies_ns / 1e6, (0.5, 0.9, 0.95, 0.99)).tolist()
        session.execute(
            text("INSERT INTO scale_shape VALUES (:id, :latency, :p50, :p90, :p95, :p99, :max)"),
            {"id": number, "latency": encoded[-1], "p50": p50, "p90": p90, "p95": p95, "p99": p99}
            | {"max": float(latencies_ns.max() / 1e6)},
        )
    return encoded


def make_distribution(latencies_ns: "np.ndarray[Any, np.dtype[np.int64]]") -> Distribution:
    """Return the histogram of these values; see worker/loadgen."""
    clipped = latencies_ns.clip(128)
    exponents = np.floor(np.log2(clipped)).astype(np.int64) - 7
    return Distribution(np.bincount((exponents + 1) * 128 + (clipped >> exponents) - 128))


def copy_runs(
    session: Session,
    rng: np.random.Generator,
    rows: Sequence[Rows],
    shapes: Sequence[bytes],
    seconds: int,
) -> None:
    """Store ended runs with the seconds of their trials, but without summaries."""
    owner = {"workspace_id": find_first_workspace(session)}
    copy_rows(session, Run, [row.run | owner for row in rows])
    copy_rows(session, Cell, [cell for row in rows for cell in row.cells])
    trials = [trial for row in rows for trial in row.trials]
    copy_rows(session, Trial, trials)
    merged = Distribution.merge_all(map(Distribution.from_varints, shapes)).to_varints()
    nothing = Distribution.empty().to_varints()
    copy_rows(
        session,
        TrialHistogram,
        [
            {
                "trial_id": trial["id"],
                "latency": merged,
                "latency_failed": nothing,
                "latency_sum_ns": SECONDS * RATE_RPS * 1_000_000,
                "latency_max_ns": 30_000_000,
            }
            for trial in trials
            if trial["status"] == "succeeded"
        ],
    )
    copy_rows(session, MetricValue, draw_metrics(rng, rows))
    ids = [row.run["id"] for row in rows]
    session.execute(
        _SAMPLES, {"rate": RATE_RPS, "seconds": seconds, "shapes": _SHAPES, "runs": ids}
    )


def _to_value(value: object, is_document: bool) -> object:
    return Jsonb(value) if is_document and value is not None else value


def _is_json(kind: TypeEngine[Any]) -> bool:
    return isinstance(getattr(kind, "impl_instance", kind), JSONB)


def copy_rows(session: Session, model: type[Base], rows: Iterable[Mapping[str, Any]]) -> None:
    """Insert by COPY with the columns of the first row; other columns get their defaults."""
    found = iter(rows)
    first = next(found)
    columns = model.__table__.columns
    documents = {name for name in first if _is_json(columns[name].type)}
    driver: Any = session.connection().connection.driver_connection
    names = ", ".join(first)
    command = f"COPY {model.__tablename__} ({names}) FROM STDIN"
    with driver.cursor() as cursor, cursor.copy(command) as copy:
        for row in (first, *found):
            copy.write_row([_to_value(row[item], item in documents) for item in first])
