"""Pairs of trials: a limit that a team has set must have values."""

from collections.abc import Mapping
from typing import cast

import pytest

from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import Profile
from backend.core.units import Metric
from worker.bench.bench import Bench
from worker.guard.measuring import NotMeasurable, PairedLoad, Pairing, VersionPair

CPU, KNEE = Metric.CPU_US_PER_REQUEST, Metric.KNEE_RPS


class MeasuredPairing(Pairing):
    """Pairs of trials with known values."""

    def __init__(self, **values: Mapping[Metric, float]) -> None:
        super().__init__(cast("Bench", None), cast("VersionPair", None), seed=1)
        self._values = values

    def _measure_trial(self, load: PairedLoad, version: str) -> Mapping[Metric, float]:
        assert load.name == "main"
        return self._values[version]


def make_load(*, must_measure: bool) -> PairedLoad:
    scenario, profile = cast("ScenarioManifest", None), cast("Profile", None)
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
