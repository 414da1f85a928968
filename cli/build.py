"""`tacho build`: build the frontend and the load generator."""

import threading
import time
from datetime import UTC, datetime

from rich.console import Console
from rich.markup import escape

from backend.core.config import ASSETS
from backend.core.errors import TachoError
from backend.platform.frontend_build import ensure_frontend
from backend.platform.layout import Layout
from backend.platform.load_generator import LoadGeneratorBuildFile, read_load_generator_build
from backend.platform.steps import ProgressSteps
from backend.platform.tools import get_tool, module_go
from cli.console import fail, read_settings
from worker.loadgen.build import SOURCE, BuildProgress, ensure_k6, find_k6

# The name of the step.
FRONTEND = "Frontend"
# The progress is written to a file, which readers ask for every few seconds.
_WRITTEN_EVERY_S = 1.0


class LoadGeneratorThread:
    """Builds the load generator in a thread, unless it is built."""

    def __init__(self, layout: Layout, console: Console) -> None:
        """Start nothing yet. The console receives a line when the build ends."""
        self._layout = layout
        self._console = console
        self._file = LoadGeneratorBuildFile(layout.load_generator_build)
        self._thread: threading.Thread | None = None
        self._written_s = 0.0
        self._failure: TachoError | None = None
        # Whether a failure is printed here, and not raised by `wait`.
        self._reports = True

    def start(self) -> None:
        """Begin to build what is missing.

        Raises:
            PlatformError: there is no Go that is new enough.
        """
        # A build that was killed leaves the file.
        self._file.remove()
        if find_k6(self._layout.data) is not None:
            return
        go = get_tool(module_go(SOURCE)).path
        self._file = LoadGeneratorBuildFile(self._layout.load_generator_build)
        self._file.write(0.0)
        self._console.print("  [dim]… Building the load generator[/]")
        self._thread = threading.Thread(
            target=self._build, args=(go,), name="load generator", daemon=True
        )
        self._thread.start()

    def describe(self) -> str:
        """Return what is still being built, and how long that takes; empty if nothing is."""
        build = read_load_generator_build(self._layout.load_generator_build)
        return "" if build is None else build.describe(datetime.now(UTC))

    def wait(self) -> None:
        """Wait until the build has ended.

        Raises:
            TachoError: it failed.
        """
        self._reports = False
        if self._thread is not None:
            self._thread.join()
        if self._failure is not None:
            raise self._failure

    def abandon(self) -> None:
        """Report no failure from now on, because the program ends."""
        self._reports = False

    def _build(self, go: str) -> None:
        start = time.monotonic()
        try:
            ensure_k6(self._layout.data, go, self._note_progress)
        except TachoError as failure:
            self._failure = failure
            if self._reports:
                self._console.print(
                    "  [yellow]![/] The load generator could not be built, so no run starts. The "
                    f"worker tries it again. {escape(failure.detail)}",
                    soft_wrap=True,
                )
        else:
            took_s = time.monotonic() - start
            self._console.print(f"  [green]✓[/] Load generator [dim]{took_s:.1f} s[/]")
        finally:
            self._file.remove()

    def _note_progress(self, progress: BuildProgress) -> None:
        now = time.monotonic()
        if now - self._written_s > _WRITTEN_EVERY_S:
            self._written_s = now
            self._file.write(progress.share)


def build_frontend(layout: Layout, steps: ProgressSteps) -> None:
    """Build the frontend if it has changed since the last build.

    Raises:
        TachoError: Node is missing, or the build failed; the detail shows its last lines.
    """
    with steps.step("Building the frontend", FRONTEND) as step:
        built = ensure_frontend(ASSETS / "frontend", layout.logs / "frontend.log", step.stage)
        step.note = "built" if built else "unchanged"


def run() -> None:
    """Build the frontend and the load generator, unless they are up to date."""
    layout, console = Layout(read_settings().data), Console(highlight=False)
    steps, load_generator = ProgressSteps(console), LoadGeneratorThread(layout, console)
    try:
        layout.make()
        load_generator.start()
        build_frontend(layout, steps)
        load_generator.wait()
    except TachoError as error:
        load_generator.abandon()
        fail(error.detail)
