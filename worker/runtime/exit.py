"""The end of a program, in the same form for processes, containers and commands in containers."""

import signal
from dataclasses import dataclass
from typing import Self

# Shells and container engines add this to the number of the signal that killed a program.
_SIGNAL_OFFSET = 128


@dataclass(frozen=True)
class Exit:
    """The end of a program: an exit code, or the signal that killed it.

    `is_out_of_memory` is true where the container engine or the kernel named that reason.
    """

    code: int | None = None
    signal_number: int | None = None
    is_out_of_memory: bool = False

    @classmethod
    def from_code(cls, code: int, *, is_out_of_memory: bool = False) -> Self:
        """Return the end for an exit code, in which a signal is negative or above 128."""
        number = -code if code < 0 else code - _SIGNAL_OFFSET
        if number > 0 and _find_name(number):
            return cls(signal_number=number, is_out_of_memory=is_out_of_memory)
        return cls(code=code, is_out_of_memory=is_out_of_memory)

    @property
    def is_success(self) -> bool:
        """Return whether the program ended by itself with exit code 0."""
        return self.code == 0

    @property
    def is_killed(self) -> bool:
        """Return whether a signal ended the program."""
        return self.signal_number is not None

    def describe(self) -> str:
        """Return how it ended, to follow the program's name."""
        if self.is_out_of_memory:
            return "ran out of memory and was killed"
        if self.signal_number is None:
            return f"ended with exit code {self.code}"
        name = _find_name(self.signal_number) or f"signal {self.signal_number}"
        hint = " (possibly out of memory)" if self.signal_number == signal.SIGKILL else ""
        return f"was killed by {name}{hint}"


def _find_name(number: int) -> str | None:
    try:
        return signal.Signals(number).name
    except ValueError:
        return None
