"""A signal reaches the process that was found, and never a later process with its id."""

import signal
import subprocess
from dataclasses import replace

from worker.chaos.victims import Victim


def test_a_process_is_signalled_only_if_it_is_still_the_same() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        victim = Victim.of(process.pid)
        assert victim is not None

        assert not replace(victim, start_ticks=victim.start_ticks - 1).send(signal.SIGKILL)
        assert process.poll() is None
        assert victim.send(signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL
    assert not victim.send(signal.SIGKILL)
    assert Victim.of(process.pid) is None
