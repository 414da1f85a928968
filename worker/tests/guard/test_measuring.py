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
from worker.guard.measuring import Measured, NotMeasurable, PairedLoad, Pairing, VersionPair
from worker.runtime.errors import BuildFailed
from worker.stages.turns import Turn, Turns
from worker.stages.watch import TrialStopped

CPU, KNEE = Metric.CPU_US_PER_REQUEST, Metric.KNEE_RPS


class MeasuredPairing(Pairing):
    """Pairs of trials with known values."""

    def __init__(self, **values: Mapping[Metric, float]) -> None:
        super().__init__(cast("Bench", None), cast("VersionPair", None), seed=1)
        self._values = values

    def _run_trials(self, load: PairedLoad, versions: Sequence[str]) -> dict[str, Measured]:
        assert load.name == "main"
        return {version: (self._values[version], []) for version in versions}


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


def test_a_pair_needs_values_of_both_versions() -> None:
    pairing = MeasuredPairing(base={CPU: 100.0, KNEE: 5.0}, head={CPU: 101.0, KNEE: 0.0})
    load = make_load(must_measure=False)

    pairing.measure(load, 1, lambda *_: None)

    assert (load.pairs, load.unmeasured) == (1, {KNEE})


class FailingPairing(Pairing):
    """A head that fails while the base waits for it."""

    def __init__(self) -> None:
        super().__init__(cast("Bench", None), cast("VersionPair", None), seed=1)
        self.waited = threading.Event()

    def _run_trial(
        self, load: PairedLoad, version: str, turns: Turns, turn: Turn | None
    ) -> Measured:
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
