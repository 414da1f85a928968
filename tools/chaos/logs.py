"""Read what the parts of Tacho have logged since a moment."""

from pathlib import Path

_PARTS = ("api", "worker", "dispatcher")
_TRACEBACK = b"Traceback (most recent call last)"


class LogMarks:
    """The ends of the parts' logs at the time of creation. Later counts start there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places = {part: len(self._read(part)) for part in _PARTS}

    def count_tracebacks(self) -> dict[str, int]:
        """Return the number of new tracebacks by part."""
        return {
            part: self._read(part)[place:].count(_TRACEBACK) for part, place in self._places.items()
        }

    def _read(self, part: str) -> bytes:
        try:
            return (self._folder / f"{part}.log").read_bytes()
        except FileNotFoundError:
            return b""
