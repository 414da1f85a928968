"""The progress of a run."""

import pytest

from backend.core.runs.progress import measure_progress
from backend.core.statuses import TrialStatus


def test_a_queued_run_has_no_progress() -> None:
    progress = measure_progress({TrialStatus.QUEUED: 4}, 15.0, 0.0)

    assert (progress.trials_total, progress.trials_finished) == (4, 0)
    assert progress.share == 0
    assert progress.estimated_seconds_left == 60


def test_the_current_trial_counts_by_its_elapsed_time() -> None:
    counts = {TrialStatus.SUCCEEDED: 1, TrialStatus.MEASURING: 1, TrialStatus.QUEUED: 2}

    progress = measure_progress(counts, 20.0, 5.0)

    assert progress.share == pytest.approx(1.25 / 4)
    assert progress.estimated_seconds_left == pytest.approx(2.75 * 20)


def test_an_overdue_trial_never_counts_as_done() -> None:
    counts = {TrialStatus.BUILDING: 1}

    progress = measure_progress(counts, 10.0, 3600.0)

    assert progress.share == pytest.approx(0.99)
    assert progress.estimated_seconds_left == pytest.approx(0.1)


def test_every_ended_run_is_complete_and_has_no_time_left() -> None:
    counts = {TrialStatus.SUCCEEDED: 2, TrialStatus.FAILED: 1, TrialStatus.CANCELLED: 1}

    progress = measure_progress(counts, 10.0, 0.0)

    assert (progress.trials_finished, progress.trials_failed) == (4, 1)
    assert progress.share == 1
    assert progress.estimated_seconds_left is None
