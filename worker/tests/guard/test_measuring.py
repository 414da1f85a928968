"""Pairs of trials: a limit that a team has set must have values."""

import threading
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import cast

import pytest

from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import Profile
from backend.core.units import Metric, ProfileKind
from worker.bench.bench import Bench
from worker.guard.measuring import NotMeasurable, PairedLoad, Pairing, TrialValues, VersionPair
from worker.guard.script import list_own_metrics
from worker.loadgen.parse import ScriptCheck, ScriptMetric, ScriptReport, ScriptThreshold
from worker.runtime.errors import BuildFailed
from worker.stages.turns import Turn, Turns
from worker.stages.watch import TrialStopped

CPU, KNEE = Metric.CPU_US_PER_REQUEST, Metric.KNEE_RPS


class MeasuredPairing(Pairing):
    """Pairs of trials with known values."""

    def __init__(self, **values: Mapping[str, float]) -> None:
        super().__init__(cast("Bench", None), cast("VersionPair", None), seed=1)
        self._values = values

    def _run_trials(self, load: PairedLoad, versions: Sequence[str]) -> dict[str, TrialValues]:
        assert load.name == "main"
        return {version: TrialValues(self._values[version], []) for version in versions}


def make_load(*, must_measure: bool) -> PairedLoad:
    scenario = cast("ScenarioManifest", None)
    profile = cast("Profile", SimpleNamespace(kind=ProfileKind.RATE))
    return PairedLoad("main", scenario, profile, {CPU: 0.03, KNEE: 0.05}, must_measure)


def test_a_limit_of_a_metric_that_the_load_does_not_have_ends_the_guard() -> None:
    pairing = MeasuredPairing(base={CPU: 100.0}, head={CPU: 101.0})

    with pytest.raises(NotMeasurable, match=r"no value of Rate at the knee .*\[loads.main.worse\]"):
        pairing.measure(make_load(must_measure=True), 1, lambda *_: None)


def test_a_default_that_is_not_measured_is_left_out_and_named() -> None:
    pairing, load = (
        MeasuredPairing(base={CPU: 100.0}, head={CPU: 101.0}),
        make_load(must_measure=False),
    )

    pairing.measure(load, 1, lambda *_: None)

    assert (load.base, load.head) == ({CPU: [100.0]}, {CPU: [101.0]})
    assert load.unmeasured == {KNEE}


def test_a_metric_that_the_script_does_not_define_is_named_with_those_it_does() -> None:
    pairing, load = MeasuredPairing(base={CPU: 1.0}, head={CPU: 1.0}), make_load(must_measure=True)
    load.limits = {"script:weit": 0.05}
    load.script.add("base", report_of(metrics=[ScriptMetric(name="wait", type="trend")]))

    with pytest.raises(NotMeasurable, match=r"no value of weit .* The script defines wait\. "):
        pairing.measure(load, 1, lambda *_: None)


def test_values_of_a_script_have_its_names() -> None:
    found = report_of(
        metrics=[
            ScriptMetric(name="wait", type="trend", med=2.0, p95=3.0),
            ScriptMetric(name="orders", type="counter", value=9.0),
            ScriptMetric(name="size", type="gauge"),
        ]
    )

    assert list_own_metrics(found) == {
        "script:wait": 2.0,
        "script:wait.p95": 3.0,
        "script:orders": 9.0,
    }


def test_the_checks_of_all_trials_add_up() -> None:
    load = make_load(must_measure=False)
    for passes, fails in ((10, 0), (9, 1)):
        for version in ("base", "head"):
            check = ScriptCheck(name="is 200", passes=passes, fails=fails)
            kept = ScriptThreshold(metric="wait", threshold="max<1", passed=fails == 0)
            # The same threshold twice counts once.
            load.script.add(version, report_of(checks=[check], thresholds=[kept, kept]))

    outcome = load.script.summarise()

    assert outcome.trials == 2
    assert (outcome.checks[0].head.passes, outcome.checks[0].head.fails) == (19, 1)
    assert outcome.thresholds[0].base == 1
    assert not load.is_broken


def test_a_pair_needs_values_of_both_versions() -> None:
    pairing = MeasuredPairing(base={CPU: 100.0, KNEE: 5.0}, head={CPU: 101.0, KNEE: 0.0})
    load = make_load(must_measure=False)

    pairing.measure(load, 1, lambda *_: None)

    assert (load.pairs, load.unmeasured) == (1, {KNEE})


def report_of(
    checks: Sequence[ScriptCheck] = (),
    thresholds: Sequence[ScriptThreshold] = (),
    metrics: Sequence[ScriptMetric] = (),
) -> ScriptReport:
    return ScriptReport(checks=[*checks], thresholds=[*thresholds], metrics=[*metrics])


class FailingPairing(Pairing):
    """A head that fails while the base waits for it."""

    def __init__(self) -> None:
        super().__init__(cast("Bench", None), cast("VersionPair", None), seed=1)
        self.waited = threading.Event()

    def _run_trial(
        self, load: PairedLoad, version: str, turns: Turns, turn: Turn | None
    ) -> TrialValues:
        assert load.takes_turns
        assert turn is not None
        with turn:
            if version == "head":
                raise BuildFailed("no such file", "")
            turn.await_other()
            assert turns.has_failed.is_set()
            self.waited.set()
            raise TrialStopped("stopped")


def test_a_version_that_fails_ends_the_trial_of_the_other_and_is_named() -> None:
    pairing = FailingPairing()

    with pytest.raises(NotMeasurable, match=r"^The head cannot be measured .* no such file"):
        pairing.measure(make_load(must_measure=True), 1, lambda *_: None)

    assert pairing.waited.is_set()
