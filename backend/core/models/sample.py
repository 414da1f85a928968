"""One second of a trial, as one wide row."""

from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base
from backend.core.units import Phase


class Sample(Base):
    __tablename__ = "sample"

    trial_id: Mapped[UUID] = mapped_column(
        ForeignKey("trial.id", ondelete="CASCADE"), primary_key=True
    )
    phase: Mapped[Phase] = mapped_column(primary_key=True)
    second: Mapped[int] = mapped_column(primary_key=True)
    requests: Mapped[int]
    failed: Mapped[int]
    errors: Mapped[dict[str, Any]]
    bytes_sent: Mapped[int] = mapped_column(BigInteger)
    bytes_received: Mapped[int] = mapped_column(BigInteger)
    dropped: Mapped[int]
    vus: Mapped[int]
    in_flight: Mapped[float]
    # Null if no request of that second succeeded.
    latency_p50_ms: Mapped[float | None]
    latency_p90_ms: Mapped[float | None]
    latency_p95_ms: Mapped[float | None]
    latency_p99_ms: Mapped[float | None]
    latency_max_ms: Mapped[float | None]
    # Latencies of successful requests in ns, as uvarint pairs; see core.measurements.histogram.
    latency: Mapped[bytes]
    # Null if the runtime could not read that second.
    cpu_service_seconds: Mapped[float | None]
    cpu_backing_seconds: Mapped[float | None]
    cpu_load_seconds: Mapped[float | None]
    cpu_other_seconds: Mapped[float | None]
    cpu_steal_seconds: Mapped[float | None]
    throttled_seconds: Mapped[float | None]
    thermal_throttles: Mapped[int | None]
    cpu_mhz: Mapped[float | None]
    memory_bytes: Mapped[int | None] = mapped_column(BigInteger)
    memory_anon_bytes: Mapped[int | None] = mapped_column(BigInteger)
    memory_file_bytes: Mapped[int | None] = mapped_column(BigInteger)
    memory_sock_bytes: Mapped[int | None] = mapped_column(BigInteger)
    threads: Mapped[int | None]
