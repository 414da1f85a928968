"""The file with the progress of the load generator's build: the program that builds it writes the
file, the API reads it."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ValidationError

# Before that, the speed of the build is not known.
_LEAST_SHARE = 0.05


class LoadGeneratorBuild(BaseModel):
    """A build that is going on.

    Attributes:
        share: of the work that is done, 0 to 1.
    """

    started_at: AwareDatetime
    share: float

    def find_remaining_seconds(self, now: datetime) -> int | None:
        """Return about how long the build still takes; None at the beginning of the build."""
        if self.share < _LEAST_SHARE:
            return None
        elapsed_s = max(0.0, (now - self.started_at).total_seconds())
        return round(elapsed_s * (1 / min(self.share, 1.0) - 1))

    def describe(self, now: datetime) -> str:
        """Return a sentence for people."""
        remaining_s = self.find_remaining_seconds(now)
        left = "" if remaining_s is None else f" (about {max(remaining_s, 1)} s left)"
        return f"The load generator is still being built{left}. Runs wait for it."


class LoadGeneratorBuildFile:
    """Writes the progress of a build into `Layout.load_generator_build`."""

    def __init__(self, path: Path) -> None:
        """Write nothing yet."""
        self._path = path
        self._started_at = datetime.now(UTC)

    def write(self, share: float) -> None:
        """Replace the file atomically. A disk that is full does not stop the build here."""
        build = LoadGeneratorBuild(started_at=self._started_at, share=share)
        written = self._path.with_suffix(".new")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            written.write_text(build.model_dump_json(), encoding="utf-8")
            written.replace(self._path)

    def remove(self) -> None:
        """Remove the file: the build has ended."""
        self._path.unlink(missing_ok=True)


def read_load_generator_build(path: Path) -> LoadGeneratorBuild | None:
    """Return the build that is going on; None if there is none."""
    try:
        return LoadGeneratorBuild.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
