"""The pauses of the backoff grow, vary and end."""

from datetime import timedelta

import pytest

from backend.core.changes.webhooks.delivery import MAX_ATTEMPTS, pause_after


def test_pauses_grow_up_to_half_a_day_and_end() -> None:
    pauses = [pause_after(attempts, 0.5) for attempts in range(1, MAX_ATTEMPTS)]

    seconds = [pause.total_seconds() for pause in pauses if pause is not None]
    assert seconds == pytest.approx([15, 60, 240, 960, 3840, 15360, 43200])
    assert pause_after(MAX_ATTEMPTS, 0.5) is None


def test_jitter_varies_pauses_by_a_fifth() -> None:
    assert pause_after(1, 0.0) == timedelta(seconds=12)
    assert pause_after(1, 1.0) == timedelta(seconds=18)
