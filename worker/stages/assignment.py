"""The parameters of a trial."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from backend.core.catalog.profiles import Profile, most_load_seconds, resolve_parameters
from backend.core.runs.trials.service import TrialClaim
from backend.core.units import ProfileKind


@dataclass(frozen=True)
class Assignment:
    """A trial to run.

    Attributes:
        seed: seed of the inputs of verification, different for each trial.
        load_hosts: queues of the hosts that send the load; empty if this host does.
        builds: digests of earlier builds to use, by slug of the program; None builds what the
            catalogue holds.
        framework_digest, scenario_digest: digests of the files for which the run was requested;
            None accepts any files.
        queued_at: when the run was requested. None without a database, here and below.
        traceparent: W3C trace context of that request.
        request_id: id of that request. None if a schedule began the run.
    """

    trial_id: UUID
    attempt: int
    run_id: UUID
    cell_id: UUID
    repetition: int
    framework: str
    scenario: str
    kind: ProfileKind
    parameters: Mapping[str, int]
    seed: int
    builds: Mapping[str, str] | None = None
    framework_digest: str | None = None
    scenario_digest: str | None = None
    load_hosts: tuple[str, ...] = ()
    queued_at: datetime | None = None
    traceparent: str | None = None
    request_id: str | None = None

    @property
    def claim(self) -> TrialClaim:
        """Return the claim by which the worker holds the trial."""
        return TrialClaim(self.trial_id, self.attempt)

    @property
    def load_seconds(self) -> int:
        """Return the maximum length of the load."""
        return most_load_seconds(self.parameters)


def make_assignment(
    framework: str, scenario: str, profile: Profile, parameters: Mapping[str, int]
) -> Assignment:
    """Return a trial that is stored nowhere. A swept parameter takes its first value.

    Args:
        parameters: valid values that differ from the defaults of the profile.
    """
    cells, problems = resolve_parameters(profile, parameters)
    assert not problems, problems
    trial_id = uuid4()
    return Assignment(
        trial_id=trial_id,
        attempt=1,
        run_id=uuid4(),
        cell_id=uuid4(),
        repetition=0,
        framework=framework,
        scenario=scenario,
        kind=profile.kind,
        parameters=cells[0],
        seed=trial_id.int % 2**31,
    )
