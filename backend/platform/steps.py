"""Show progress: one line per step with its duration, and a running clock on a terminal."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn


@dataclass
class ProgressStep:
    """A running step. `note` appears after its name when it is done."""

    doing: str
    progress: Progress
    task: TaskID
    left: str = ""
    note: str = ""

    def stage(self, name: str) -> None:
        """Show the current state of the step."""
        stage = f": {escape(name)}" if name else ""
        shown = f"{escape(self.doing)}{stage}[dim]{escape(self.left)}[/]"
        self.progress.update(self.task, description=shown)


class ProgressSteps:
    """Prints steps when they start and end, and which are left."""

    def __init__(self, console: Console, planned: Sequence[str] = ()) -> None:
        """Start the clock.

        Args:
            planned: the ends (`done`) of the steps that will come, in order.
        """
        self.console = console
        self._left = list(planned)
        self._start = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        """Seconds since this object was created."""
        return time.monotonic() - self._start

    @contextmanager
    def step(self, doing: str, done: str) -> Iterator[ProgressStep]:
        """Show `doing` inside the context, then `done` with the seconds that it took."""
        start = time.monotonic()
        if done in self._left:
            self._left.remove(done)
        left = f" (left: {', '.join(self._left)})" if self._left else ""
        if not self.console.is_terminal:
            self.console.print(f"  [dim]… {escape(doing + left)}[/]", soft_wrap=True)
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(
            *columns,
            console=self.console,
            transient=True,
            refresh_per_second=4,
            disable=not self.console.is_terminal,
        ) as progress:
            step = ProgressStep(doing, progress, progress.add_task(""), left)
            step.stage("")
            yield step
        took = time.monotonic() - start
        note = f" [dim]({escape(step.note)})[/]" if step.note else ""
        self.console.print(f"  [green]✓[/] {escape(done)}{note} [dim]{took:.1f} s[/]")
