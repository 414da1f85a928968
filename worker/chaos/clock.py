"""Shift the wall clock of one process of an installation, as if it was set.

Linux has no namespaces for the wall clock. A small library, which gcc compiles at the start and all
parts preload, adds the shift to what one process reads. Other clocks are unchanged.
"""

import shutil
import struct
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")
# `struct shift` of the source: process id and seconds.
_SHIFT = struct.Struct("=ii")


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
        self._file.write_bytes(_SHIFT.pack(0, 0))
        command = [gcc, "-O2", "-Wall", "-Werror", "-shared", "-fPIC", str(_SOURCE)]
        subprocess.run([*command, "-o", str(self._library), "-ldl"], check=True)

    @contextmanager
    def shift(self, pid: int, seconds: int) -> Iterator[None]:
        """Set the clock of a process ahead, or back if `seconds` is negative, inside the
        context."""
        with self._file.open("r+b", buffering=0) as file:
            try:
                file.write(_SHIFT.pack(pid, seconds))
                yield
            finally:
                file.seek(0)
                file.write(_SHIFT.pack(0, 0))
