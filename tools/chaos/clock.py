"""Shift the wall clock of processes of an installation, as if it was set.

Linux has no namespaces for the wall clock. A small library, which gcc compiles at the start and all
parts preload, adds the shift to what a process reads. Other clocks are unchanged. Programs that are
linked statically, such as k6, do not read the shifted clock.
"""

import shutil
import struct
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from enum import IntEnum
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")
# `struct shift` of the source: process id, seconds, scope.
_SHIFT = struct.Struct("=iii")
_NO_SHIFT = _SHIFT.pack(0, 0, 0)


class _Scope(IntEnum):
    PROCESS = 0
    PROCESS_AND_CHILDREN = 1
    ALL = 2


class ShiftedClock:
    """The clock of the parts of an installation. Its files are in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._library = folder / "clock.so"
        self._file = folder / "clock.shift"

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the variables with which programs read this clock."""
        return {"LD_PRELOAD": str(self._library), "TACHO_CHAOS_CLOCK": str(self._file)}

    def build(self) -> None:
        """Compile the library.

        Raises:
            FileNotFoundError: there is no compiler.
        """
        gcc = shutil.which("gcc")
        if gcc is None:
            raise FileNotFoundError("gcc is missing. Install it: apt-get install gcc libc6-dev.")
        self._file.write_bytes(_NO_SHIFT)
        command = [gcc, "-O2", "-Wall", "-Werror", "-shared", "-fPIC", str(_SOURCE)]
        subprocess.run([*command, "-o", str(self._library), "-ldl"], check=True)

    def shift(
        self, pid: int, seconds: int, *, has_children: bool = False
    ) -> AbstractContextManager[None]:
        """Set the clock of a process ahead, or back if `seconds` is negative, inside the context.

        Args:
            has_children: set the clock of its child processes too.
        """
        scope = _Scope.PROCESS_AND_CHILDREN if has_children else _Scope.PROCESS
        return self._shift(pid, seconds, scope)

    def shift_all(self, seconds: int) -> AbstractContextManager[None]:
        """Set the clock of all parts and their child processes inside the context."""
        return self._shift(0, seconds, _Scope.ALL)

    @contextmanager
    def _shift(self, pid: int, seconds: int, scope: _Scope) -> Iterator[None]:
        with self._file.open("r+b", buffering=0) as file:
            try:
                file.write(_SHIFT.pack(pid, seconds, scope))
                yield
            finally:
                file.seek(0)
                file.write(_NO_SHIFT)
