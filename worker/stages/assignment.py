"""The parameters of a claimed trial, read once from the database."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog.profiles import most_measured_seconds
from backend.core.runs import repository
from backend.core.runs.trials import TrialClaim
from backend.core.units import ProfileKind


@dataclass(frozen=True)
class Assignment:
    """One trial to run. `seed` differs between trials, so that verification's inputs do too."""

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
    # Slug of a program to the digest of the build to use; None builds what the catalogue holds.
    builds: Mapping[str, str] | None = None

    @property
    def claim(self) -> TrialClaim:
        """Under which the worker holds the trial."""
        return TrialClaim(self.trial_id, self.attempt)

    @property
    def load_seconds(self) -> int:
        """Return the maximum of warm-up and measured seconds together."""
        return self.parameters["warm_up_seconds"] + most_measured_seconds(self.parameters)


def read_assignment(session: Session, trial_id: UUID) -> Assignment:
    """Return the assignment of a trial; raises NotFound."""
    trial = repository.get_trial(session, trial_id)
    cell = trial.cell
    return Assignment(
        trial_id=trial.id,
        attempt=trial.attempt,
        run_id=trial.run_id,
        cell_id=cell.id,
        repetition=trial.repetition,
        framework=cell.framework.slug,
        scenario=cell.scenario.slug,
        kind=cell.kind,
        parameters=cell.parameters,
        seed=trial.id.int % 2**31,
        builds=cell.builds,
    )
