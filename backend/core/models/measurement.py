"""Metrics, seconds and latency histograms of trials."""

from dataclasses import fields
from types import NoneType
from typing import get_args, get_type_hints
from uuid import UUID

from pydantic import PositiveInt
from sqlalchemy import BigInteger, Float, ForeignKey, Integer
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base
from backend.core.models.document import PlainDocument
from backend.core.second import LatencyPercentiles, LoadCounts, ResourceUse
from backend.core.units import Metric, Phase


class MetricValue(Base):
    """One metric of one trial, for summaries, comparison and history."""

    __tablename__ = "metric_value"

    trial_id: Mapped[UUID] = mapped_column(
        ForeignKey("trial.id", ondelete="CASCADE"), primary_key=True
    )
    metric: Mapped[Metric] = mapped_column(primary_key=True)
    value: Mapped[float]


class Sample(Base):
    """One second of a trial, as one wide row, in a partition for the month of the trial's id.

    `backend.core.second` declares its other columns.
    """

    __tablename__ = "sample"
    # Ids of trials sort by time, so a range of ids is a month (ADR 0048).
    __table_args__ = ({"postgresql_partition_by": "RANGE (trial_id)"},)

    trial_id: Mapped[UUID] = mapped_column(
        ForeignKey("trial.id", ondelete="CASCADE"), primary_key=True
    )
    phase: Mapped[Phase] = mapped_column(primary_key=True)
    second: Mapped[int] = mapped_column(primary_key=True)
    errors: Mapped[dict[str, int]] = mapped_column(PlainDocument(dict[str, PositiveInt]))
    # Latencies of requests that succeeded or timed out in ns, as uvarint pairs; see
    # core.measurements.histogram.
    latency: Mapped[bytes]


def _add_columns(declaration: type) -> None:
    """Add a column for each field of a declaration that has none. A number of bytes is large."""
    hints = get_type_hints(declaration)
    for name in (field.name for field in fields(declaration)):
        if name in Sample.__table__.columns:
            continue
        kinds = set(get_args(hints[name]) or (hints[name],))
        whole = BigInteger if "bytes" in name else Integer
        kind = Float if float in kinds else whole
        setattr(Sample, name, mapped_column(kind, nullable=NoneType in kinds))


for _declaration in (LoadCounts, LatencyPercentiles, ResourceUse):
    _add_columns(_declaration)


def is_partition(table: str) -> bool:
    """Return whether a name is that of a partition of this table. Partitions have no models."""
    return table.startswith(f"{Sample.__tablename__}_")


class TrialHistogram(Base):
    """A trial's latency distribution over its measured seconds, mergeable."""

    __tablename__ = "histogram"

    trial_id: Mapped[UUID] = mapped_column(
        ForeignKey("trial.id", ondelete="CASCADE"), primary_key=True
    )
    # Latencies in ns as uvarint pairs, see core.measurements.histogram: of requests that succeeded
    # or timed out, and of requests that failed in another way. In trials of older versions, all
    # failed requests are in the second one.
    latency: Mapped[bytes]
    latency_failed: Mapped[bytes]
    # From the send. Null if `latency` counts from there too: without due times, and in trials of
    # older versions.
    service_time: Mapped[bytes | None]
    latency_sum_ns: Mapped[int] = mapped_column(BigInteger)
    latency_max_ns: Mapped[int] = mapped_column(BigInteger)
