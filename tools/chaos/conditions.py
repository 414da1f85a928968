"""Faults around the parts of an installation: of its messages, its network and its disks."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from backend.core.statuses import TrialStatus
from tools.chaos.database import DatabaseAway
from tools.chaos.disks import Disk
from tools.chaos.engine import OwnEngine
from tools.chaos.far_host import CutOffHost
from tools.chaos.faults import Action, Target
from tools.chaos.installation import ChaosInstallation
from tools.chaos.messages import Messages, withhold
from tools.chaos.plan import Fault

ACTIONS = frozenset({Action.LOSE, Action.REPEAT, Action.CUT, Action.FILL})
_COPIES = 3


class ChaosConditions:
    """The messages, the network and the disks of one installation."""

    def __init__(self, installation: ChaosInstallation, engine: OwnEngine | None) -> None:
        self._installation = installation
        self._engine = engine
        self._messages = Messages(installation.host, installation.read_redis_url)
        self._far: CutOffHost | None = None
        self._withheld = ExitStack()

    @contextmanager
    def prepare(self, fault: Fault) -> Iterator[str]:
        """Do what must precede the run of a fault, and yield the bench host of that run."""
        with ExitStack() as exits:
            host = self._installation.host
            if fault.kind.target is Target.NETWORK:
                self._far = exits.enter_context(CutOffHost(self._installation))
                host = self._far.name
            self._withheld = exits.enter_context(ExitStack())
            if fault.stage is TrialStatus.QUEUED:
                self._withheld.enter_context(withhold(self._installation, "worker"))
            yield host

    def change(self, fault: Fault) -> int | None:
        """Inject one of the ACTIONS; return the number of changed messages, if it changes any."""
        if fault.kind.action is Action.CUT:
            assert self._far is not None
            with self._far.network.cut():
                time.sleep(fault.hold_s)
        elif fault.kind.action is Action.FILL:
            if fault.kind.target is Target.DATABASE_DISK:
                with suppress(DatabaseAway):
                    self._installation.database.write_buffers()
            with self._get_disk(fault.kind.target).full():
                time.sleep(fault.hold_s)
        else:
            return self._change_messages(fault)
        return None

    def _change_messages(self, fault: Fault) -> int:
        """Lose or repeat the messages while their receiver, which is stopped, takes none."""
        with self._withheld:
            if fault.stage is not TrialStatus.QUEUED:
                self._withheld.enter_context(withhold(self._installation, "dispatcher"))
            time.sleep(fault.hold_s)
            if fault.kind.action is Action.LOSE:
                return self._messages.lose()
            return self._messages.repeat(_COPIES)

    def _get_disk(self, target: Target) -> Disk:
        if target is Target.ENGINE_DISK:
            assert self._engine is not None
            return self._engine.disk
        disks = self._installation.disks
        assert disks is not None
        return disks.data if target is Target.DATA_DISK else disks.database
