"""Builds the load generator next to a start of Tacho: `python -m cli.load_generator`.

The build is a process of its own, so that `tacho up` can supervise its parts meanwhile.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from types import FrameType

from rich.console import Console
from rich.markup import escape

from backend.core.errors import TachoError
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.platform.load_generator import LoadGeneratorBuildFile, read_load_generator_build
from backend.platform.processes.guard import guard_command
from backend.platform.tools import get_tool, module_go
from cli.console import fail, read_settings
from worker.loadgen.build import SOURCE, BuildProgress, ensure_k6, find_k6

# The progress is written to a file, which others read every few seconds.
_WRITTEN_EVERY_S = 1.0
_STOP_S = 10.0


class LoadGeneratorBuilder:
    """Starts and ends the process that builds the load generator, unless it is built."""

    def __init__(self, layout: Layout, console: Console) -> None:
        """Start nothing yet. The console receives a line when the build ends."""
        self._layout = layout
        self._console = console
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._await, name="load generator", daemon=True)
        self._failure = ""
        # Whether a failure is printed here: `wait` raises it, and after `stop` it is none.
        self._reports = True

    def start(self) -> int | None:
        """Begin to build what is missing; return the id of the process, or None without one.

        Raises:
            PlatformError: there is no Go that is new enough.
        """
        file = LoadGeneratorBuildFile(self._layout.load_generator_build)
        # A build that was killed leaves the file.
        file.remove()
        if find_k6(self._layout.data) is not None:
            return None
        get_tool(module_go(SOURCE))
        # The parts that start read it, perhaps before the process writes it.
        file.write(0.0)
        self._console.print("  [dim]… Building the load generator[/]")
        self._process = subprocess.Popen(
            guard_command([sys.executable, "-m", "cli.load_generator"]),
            env={**os.environ, "TACHO_DATA": str(self._layout.data)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._thread.start()
        return self._process.pid

    def describe(self) -> str:
        """Return what is still being built, and how long that takes; empty if nothing is."""
        build = read_load_generator_build(self._layout.load_generator_build)
        return "" if build is None else build.describe(datetime.now(UTC))

    def wait(self) -> None:
        """Wait until the build has ended.

        Raises:
            PlatformError: it failed.
        """
        self._reports = False
        if self._process is not None:
            self._thread.join()
        if self._failure:
            raise PlatformError(self._failure)

    def stop(self) -> None:
        """End a build that is going on, without its files."""
        self._reports = False
        if self._process is not None:
            self._process.terminate()
            self._thread.join(_STOP_S)

    def _await(self) -> None:
        assert self._process is not None
        start = time.monotonic()
        _, printed = self._process.communicate()
        if self._process.returncode == 0:
            took_s = time.monotonic() - start
            self._console.print(f"  [green]✓[/] Load generator [dim]{took_s:.1f} s[/]")
            return
        self._failure = printed.strip() or "The load generator could not be built."
        if self._reports:
            self._console.print(
                "  [yellow]![/] The load generator was not built, so no run starts. The worker "
                f"tries it again. {escape(self._failure)}",
                soft_wrap=True,
            )


class ProgressWriter:
    """Writes the progress of a build to its file, at most once a second."""

    def __init__(self, file: LoadGeneratorBuildFile) -> None:
        self._file = file
        self._written_s = 0.0

    def note(self, progress: BuildProgress) -> None:
        """Write the progress, unless the last one is young."""
        now = time.monotonic()
        if now - self._written_s > _WRITTEN_EVERY_S:
            self._written_s = now
            self._file.write(progress.share)


def main() -> None:
    """Build the load generator, unless it is built."""
    layout = Layout(read_settings().data)
    file = LoadGeneratorBuildFile(layout.load_generator_build)
    signal.signal(signal.SIGTERM, _end)
    try:
        ensure_k6(layout.data, get_tool(module_go(SOURCE)).path, ProgressWriter(file).note)
    except TachoError as error:
        fail(error.detail)
    finally:
        file.remove()


def _end(number: int, _frame: FrameType | None) -> None:
    """Leave nothing of the build behind."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
