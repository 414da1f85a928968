"""A trial's latency distribution over its measured seconds, mergeable."""

from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class TrialHistogram(Base):
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
