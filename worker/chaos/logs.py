"""What Tacho's parts wrote to their logs since a moment."""

from pathlib import Path

_PARTS = ("api", "worker", "dispatcher")
_TRACEBACK = b"Traceback (most recent call last)"


class LogMarks:
    """The ends of the parts' logs when this was made; later counts start there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places = {part: len(self._read(part)) for part in _PARTS}

    def count_lines(self) -> dict[str, int]:
        """Part to lines since."""
        return {part: text.count(b"\n") for part, text in self._list_new()}

    def count_tracebacks(self) -> dict[str, int]:
        """Part to tracebacks since."""
        return {part: text.count(_TRACEBACK) for part, text in self._list_new()}

    def _list_new(self) -> list[tuple[str, bytes]]:
        return [(part, self._read(part)[place:]) for part, place in self._places.items()]

    def _read(self, part: str) -> bytes:
        try:
            return (self._folder / f"{part}.log").read_bytes()
        except FileNotFoundError:
            return b""
