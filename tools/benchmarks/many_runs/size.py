"""How much an installation after years of use holds."""

from dataclasses import dataclass
from datetime import timedelta

YEARS = 2
PEOPLE = 100
HOSTS = 20
STREAMS = 100
# Hosts of the second part, the processes that play them, and the trials of each with their length.
MANY_HOSTS = 300
HOST_PROCESSES = 4
TRIALS_OF_MANY_HOSTS = 4
SECONDS_OF_MANY_HOSTS = 60
# Measured seconds of each trial.
SECONDS = 30
# The part of the runs whose seconds and logs are not removed yet: the newest.
SHARE_WITH_SECONDS = 0.05
# Runs that wait for each host.
QUEUED_PER_HOST = 5
_MOST_SCHEDULES = 40
_FULL_RUNS = 100_000
_FULL_INCIDENTS = 1_000
_FULL_AUDIT_EVENTS = 300_000
_LEAST_INCIDENTS = 30
# Runs that are drawn with the product's own code. The others are copies of them.
_MOST_TEMPLATES = 200
# Every fifth run is of a schedule.
SCHEDULED_EVERY = 5
# Every hundredth run is a calibration, of the hosts in turn.
CALIBRATION_EVERY = 100


@dataclass(frozen=True)
class Size:
    """The numbers of rows; those of people and hosts do not depend on the scale."""

    scale: float

    @property
    def runs(self) -> int:
        """Return the number of ended runs."""
        return round(_FULL_RUNS * self.scale)

    @property
    def templates(self) -> int:
        """Return the number of runs that are drawn."""
        return min(_MOST_TEMPLATES, self.runs // 4)

    @property
    def schedules(self) -> int:
        """Return the number of schedules. Each repeats another drawn run."""
        return min(_MOST_SCHEDULES, self.templates // 5)

    @property
    def incidents(self) -> int:
        """Return the number of incidents, each with three changes."""
        return max(_LEAST_INCIDENTS, round(_FULL_INCIDENTS * self.scale))

    @property
    def audit_events(self) -> int:
        """Return the number of entries of the audit log."""
        return round(_FULL_AUDIT_EVENTS * self.scale)

    @property
    def time_with_seconds(self) -> timedelta:
        """Return the age of the oldest run with seconds."""
        return timedelta(days=365 * YEARS) * SHARE_WITH_SECONDS
