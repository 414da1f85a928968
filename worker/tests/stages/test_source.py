"""A k6 script of a scenario as the source of a load."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import cast

import pytest

from backend.core.errors import LoadFailed, LoadGeneratorDied
from backend.core.units import FailureCause, ProfileKind
from worker.loadgen.script import ScriptFailed
from worker.resources.counters import ResourceReading
from worker.runtime.base import Pod, Runtime
from worker.runtime.exit import Exit
from worker.stages.build import Materials
from worker.stages.context import TrialContext
from worker.stages.source import PodLoad, open_source
from worker.stages.start import ReadyService
from worker.tests.stages.contexts import make_assignment, make_context

READY = ReadyService(
    boot_ms=1,
    first_response_ms=1,
    idle=cast("ResourceReading", None),
    environment={"TACHO_TARGET": "http://127.0.0.1:8080"},
    folder="/scripts",
)
ERROR = (
    'time="2026-11-29T10:00:00Z" level=info msg="starting" source=console\n'
    'time="2026-11-29T10:00:01Z" level=error msg="TypeError: \\"x\\" is wrong\\n\\tat '
    'file:///scripts/script/main.js:3:5(2)\\n" hint="script exception"\n'
)


@dataclass
class _Execution:
    """A load generator that has ended."""

    end: Exit
    stderr: str = ""

    def lines(self) -> Iterator[str]:
        return iter(())

    def wait(self, timeout_s: float) -> Exit:  # noqa: ARG002
        return self.end


@dataclass
class _Pod:
    """A pod whose load generator ends at once."""

    execution: _Execution
    command: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def execute(self, command: Sequence[str], environment: Mapping[str, str]) -> _Execution:
        self.command, self.environment = command, environment
        return self.execution


def make_script_context(load_hosts: tuple[str, ...] = ()) -> TrialContext:
    parameters = {"warm_up_seconds": 10, "duration_seconds": 20, "timeout_ms": 4500}
    assignment = replace(
        make_assignment("node", "hello"),
        kind=ProfileKind.SCRIPT,
        parameters=parameters,
        load_hosts=load_hosts,
    )
    return make_context(cast("Runtime", None), assignment)


def start(code: int, stderr: str = "") -> tuple[PodLoad, _Pod]:
    pod = _Pod(_Execution(Exit.from_code(code), stderr))
    source = PodLoad(make_script_context(), cast("Pod", pod), READY, "script/main.js")
    source.start()
    return source, pod


def test_the_script_runs_instead_of_the_load_of_tacho() -> None:
    _, pod = start(0)

    assert pod.command[-1] == "/scripts/script/main.js"
    assert "--no-thresholds" not in pod.command
    assert pod.environment["BASE_URL"] == "http://127.0.0.1:8080"
    # Warm-up and measured seconds, and a reserve with the timeout.
    assert pod.environment["TACHO_SCRIPT_SECONDS"] == str(30 + 5 + 3)


@pytest.mark.parametrize("code", [108, 110])
def test_an_error_of_the_script_is_shown_with_its_line(code: int) -> None:
    source, _ = start(code, ERROR)

    with pytest.raises(ScriptFailed) as caught:
        source.check_end(is_complete=True)

    assert caught.value.cause is FailureCause.USER
    assert 'TypeError: "x" is wrong\n  at file:///scripts/script/main.js:3:5' in caught.value.detail


def test_a_module_of_the_internet_has_to_be_saved() -> None:
    refused = "The moduleSpecifier couldn't be retrieved from the resolved url."
    source, _ = start(107, f'level=error msg="{refused}"\n')

    with pytest.raises(ScriptFailed, match="Save the module next to the script"):
        source.check_end(is_complete=True)


@pytest.mark.parametrize("code", [-9, 105])
def test_a_load_generator_that_was_ended_does_not_blame_the_script(code: int) -> None:
    source, _ = start(code)

    with pytest.raises(LoadFailed) as caught:
        source.check_end(is_complete=False)

    assert caught.value.cause is FailureCause.LOAD_GENERATOR
    assert isinstance(caught.value, LoadGeneratorDied) == (code == -9)


def test_load_hosts_refuse_scripts() -> None:
    scenario = make_script_context().bench.read_catalogue().get_scenario("hello")[0]
    scenario = scenario.model_copy(update={"script": "script/main.js"})
    materials = cast("Materials", SimpleNamespace(scenario=scenario))

    with (
        pytest.raises(ScriptFailed, match=r"Load hosts cannot run the k6 script script/main\.js"),
        open_source(make_script_context(("other",)), cast("Pod", None), READY, materials),
    ):
        pass
