"""A fault of a finalization waits until the transaction of the dispatcher is open."""

from collections.abc import Iterator
from contextlib import closing
from types import SimpleNamespace
from typing import cast
from uuid import UUID

import pytest

from backend.core.changes.finalization.service import finalize_runs
from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.runs import repository
from backend.core.runs.repository import get_run
from backend.tests.factories import add_host, ask_run, succeed_next
from tools.chaos.database import DatabaseProbe, Finalization
from tools.chaos.faults import FINALIZING
from tools.chaos.injected import Missed
from tools.chaos.installation import ChaosInstallation
from tools.chaos.stages import Stages

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def probe() -> Iterator[DatabaseProbe]:
    with closing(DatabaseProbe(get_settings().database_url)) as probe:
        yield probe


@pytest.fixture
def run_id() -> UUID:
    """Return a run whose trial is still queued."""
    with unit_of_work() as session:
        add_host(session)
        return ask_run(session).id


def end(run_id: UUID) -> None:
    with unit_of_work() as session:
        succeed_next(session, get_run(session, str(run_id)).host_id)


def test_a_finalization_is_active_while_its_transaction_is_open(
    probe: DatabaseProbe, run_id: UUID
) -> None:
    assert probe.read_finalization(str(run_id)) is Finalization.NOT_DUE
    end(run_id)
    assert probe.read_finalization(str(run_id)) is Finalization.WAITING
    with unit_of_work() as session:
        repository.claim_unfinalized(session, run_id)
        assert probe.read_finalization(str(run_id)) is Finalization.ACTIVE
    finalize_runs()
    assert probe.read_finalization(str(run_id)) is Finalization.DONE


def test_a_fault_is_injected_only_during_the_finalization(
    probe: DatabaseProbe, run_id: UUID
) -> None:
    stages = Stages(cast("ChaosInstallation", SimpleNamespace(database=probe)))
    end(run_id)

    with unit_of_work() as session:
        repository.claim_unfinalized(session, run_id)
        trial_id, attempt = stages.wait(str(run_id), FINALIZING)
        assert attempt == 1
        assert stages.read(str(run_id), trial_id, FINALIZING) == "finalizing"
    with pytest.raises(Missed, match="the finalization was waiting"):
        stages.read(str(run_id), trial_id, FINALIZING)

    finalize_runs()
    with pytest.raises(Missed, match="finalized already"):
        stages.wait(str(run_id), FINALIZING)
