"""Wait until a run reaches the stage of its fault."""

import time
from contextlib import suppress

from backend.core.runs.status import STAGES, TRIAL_ENDS
from backend.core.statuses import TrialStatus
from tools.chaos.database import DatabaseAway, Finalization
from tools.chaos.faults import FINALIZING, Stage
from tools.chaos.injected import Missed
from tools.chaos.installation import ChaosInstallation

_POLL_S = 0.005
# The transaction of a finalization takes a few tenths of a second.
_FINALIZATION_POLL_S = 0.001
_TIMEOUT_S = 240.0


class Stages:
    """Reads the stages of the runs of one installation."""

    def __init__(self, installation: ChaosInstallation) -> None:
        self._database = installation.database

    def wait(self, run_id: str, stage: Stage, least: int = 0) -> tuple[str, int]:
        """Return the first trial in the stage, and its attempt, which is at least `least`.

        While a run is finalized, that is its last trial. Raises Missed.
        """
        if stage == FINALIZING:
            return self._await_finalization(run_id)
        deadline = time.monotonic() + _TIMEOUT_S
        while time.monotonic() < deadline:
            trials = []
            with suppress(DatabaseAway):
                trials = self._database.list_trials(run_id)
            for trial_id, status, attempt in trials:
                if status == stage and attempt >= least:
                    return trial_id, attempt
            if trials and all(status in TRIAL_ENDS for _, status, _ in trials):
                raise Missed(f"no trial was seen {stage}")
            time.sleep(_POLL_S)
        raise Missed(f"no trial was {stage} within {_TIMEOUT_S:.0f} s")

    def read(self, run_id: str, trial_id: str, planned: Stage) -> str:
        """Return the stage just before the fault. Raises Missed if there is none any more."""
        try:
            if planned == FINALIZING:
                return self._read_finalization(run_id)
            trials = self._database.list_trials(run_id)
        except DatabaseAway as error:
            raise Missed("the database did not answer") from error
        stages = {own: status for own, status, _ in trials}
        stage = stages.get(trial_id, "")
        if stage not in {*STAGES, TrialStatus.QUEUED}:
            raise Missed(f"the trial was {stage} already")
        return stage

    def _await_finalization(self, run_id: str) -> tuple[str, int]:
        """Wait until the dispatcher has begun the transaction that finalizes a run."""
        deadline = time.monotonic() + _TIMEOUT_S
        while time.monotonic() < deadline:
            with suppress(DatabaseAway):
                found = self._database.read_finalization(run_id)
                if found is Finalization.DONE:
                    raise Missed("the run was finalized already")
                if found is Finalization.ACTIVE:
                    trial_id, _, attempt = self._database.list_trials(run_id)[-1]
                    return trial_id, attempt
                pause_s = _POLL_S if found is Finalization.NOT_DUE else _FINALIZATION_POLL_S
                time.sleep(pause_s)
        raise Missed(f"the run was not finalized within {_TIMEOUT_S:.0f} s")

    def _read_finalization(self, run_id: str) -> str:
        found = self._database.read_finalization(run_id)
        if found is not Finalization.ACTIVE:
            raise Missed(f"the finalization was {found}")
        return FINALIZING
