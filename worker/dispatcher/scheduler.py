"""Celery's scheduler of periodic tasks, which also works after the clock was set back."""

from typing import Any

from celery.beat import PersistentScheduler


class SteadyScheduler(PersistentScheduler):
    """Sends each periodic task at its interval, also after the wall clock was set back.

    Celery itself waits until the interval has passed since the last message by the wall clock.
    After the clock was set back by an hour, it would send nothing for an hour.
    """

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Send a due task, and return the seconds until the next call."""
        for entry in self.schedule.values():
            now = entry.default_now()
            if entry.last_run_at is None or entry.last_run_at > now:
                entry.last_run_at = now
                # Without its heap of planned times, Celery plans all tasks again.
                self._heap = None
        return super().tick(*arguments, **options)
