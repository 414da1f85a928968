"""The failure of a trial names its cause, whatever error ended it."""

import logging
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from backend.core.errors import SourcesChanged, TachoError
from backend.platform.tools import resolve_tools
from worker.runtime.base import Pod
from worker.runtime.process import ProcessRuntime
from worker.stages.build import check_sources
from worker.stages.context import TrialContext
from worker.stages.runner import StageOutputs, run_stages
from worker.stages.watch import Stop, TrialStopped, Watch
from worker.tests.stages.contexts import RecordedProgress, make_assignment, make_bench, make_context

_WAIT_SECONDS = 10


@pytest.fixture
def broken_runtime(k6: Path, tmp_path: Path) -> ProcessRuntime:
    """Return a runtime that cannot write its builds, because its data folder is a file."""
    data = tmp_path / "data"
    data.write_text("This is not a folder.")
    return ProcessRuntime(k6, data, resolve_tools())


def fail_if_called(_context: TrialContext, _pod: Pod, _outputs: StageOutputs) -> None:
    raise AssertionError("The last stage ran although a stage before it failed.")


@pytest.mark.parametrize("slug", ["node", "hello"])
def test_changed_files_are_not_measured(process_runtime: ProcessRuntime, slug: str) -> None:
    catalogue = make_bench(process_runtime).read_catalogue()
    framework, scenario = catalogue.framework_digest("node"), catalogue.scenario_digest("hello")
    requested = replace(
        make_assignment("node", "hello"), framework_digest=framework, scenario_digest=scenario
    )
    check_sources(requested, catalogue)
    found = framework if slug == "node" else scenario
    other = replace(
        requested,
        framework_digest="0" * 64 if slug == "node" else framework,
        scenario_digest="0" * 64 if slug == "hello" else scenario,
    )

    with pytest.raises(SourcesChanged) as caught:
        run_stages(make_context(process_runtime, other), fail_if_called)

    assert caught.value.detail == (
        f"The files of {slug} on this host have the digest {found[:12]}; the run was "
        "requested for 000000000000. Request the run again to measure the new files, or check out "
        "the earlier ones."
    )


def test_an_unexpected_error_is_logged_under_the_id_of_the_trial(
    broken_runtime: ProcessRuntime, caplog: pytest.LogCaptureFixture
) -> None:
    context = make_context(broken_runtime, make_assignment("node", "hello"))
    trial_id = str(context.assignment.trial_id)

    with caplog.at_level(logging.ERROR), pytest.raises(TachoError) as caught:
        run_stages(context, fail_if_called)

    assert "Tacho met an error of its own" in caught.value.detail
    assert trial_id in caught.value.detail
    assert trial_id in caplog.text
    assert isinstance(caught.value.__cause__, OSError)


def test_an_error_after_a_stop_is_part_of_the_stop(
    broken_runtime: ProcessRuntime, caplog: pytest.LogCaptureFixture
) -> None:
    assignment, stopped = make_assignment("node", "hello"), Event()
    with Watch(assignment.trial_id, lambda: False, lambda: Stop.CANCELLED) as watch:
        watch.on_stop(stopped.set)
        assert stopped.wait(_WAIT_SECONDS)
        context = TrialContext(make_bench(broken_runtime), assignment, RecordedProgress(), watch)
        with pytest.raises(TrialStopped):
            run_stages(context, fail_if_called)

    assert "an error in Tacho" not in caplog.text
