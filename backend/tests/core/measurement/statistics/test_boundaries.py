"""Critical values of repeated t-tests against exact small cases and simulation."""

import numpy as np
import pytest
from scipy import stats

from backend.core.measurement.statistics.boundaries import FIRST_LOOK, find_boundaries
from backend.core.numeric import Floats

_PATHS = 100_000


def simulate_t(last: int, seed: int) -> Floats:
    """Return |t| of normal observations around 0 after 3, 4, …, `last` of them, one path a row."""
    drawn = np.random.default_rng(seed).normal(size=(_PATHS, last))
    counts = np.arange(1, last + 1)
    means = drawn.cumsum(axis=1) / counts
    squares = (drawn**2).cumsum(axis=1) - counts * means**2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(means) / np.sqrt(squares / (counts - 1) / counts)
    found: Floats = t[:, FIRST_LOOK - 1 :]
    return found


def test_a_single_analysis_is_an_ordinary_t_test() -> None:
    (found,) = find_boundaries(0.05, FIRST_LOOK, 0.75)

    assert found == pytest.approx(stats.t.ppf(0.975, 2))


def test_the_first_of_two_analyses_has_its_share_of_the_error_rate() -> None:
    first, _ = find_boundaries(0.05, FIRST_LOOK + 1, 1.0)

    assert first == pytest.approx(stats.t.ppf(1 - 0.025 / 2, 2))


@pytest.mark.parametrize(
    ("error_rate", "last", "power"),
    [(0.05, 4, 1.0), (0.04, 30, 0.75), (0.06, 10, 2.0), (0.02, 10, 0.5)],
)
def test_all_analyses_together_have_the_error_rate(
    error_rate: float, last: int, power: float
) -> None:
    exceeded = simulate_t(last, 1) > np.array(find_boundaries(error_rate, last, power))

    share = exceeded.any(axis=1).mean()

    # Three standard errors of the simulation.
    assert share == pytest.approx(error_rate, abs=3 * np.sqrt(error_rate / _PATHS))


def test_each_analysis_spends_its_share() -> None:
    exceeded = simulate_t(8, 2) > np.array(find_boundaries(0.06, 8, 1.0))

    firsts = exceeded.argmax(axis=1)[exceeded.any(axis=1)]

    assert np.bincount(firsts) / _PATHS == pytest.approx(np.full(6, 0.01), abs=0.001)


def test_later_analyses_need_a_smaller_t() -> None:
    found = find_boundaries(0.04, 30, 0.75)

    assert list(found) == sorted(found, reverse=True)
    assert found[-1] > stats.norm.ppf(0.98)


@pytest.mark.parametrize(("error_rate", "last"), [(0.05, 2), (0.0, 10), (1.0, 10)])
def test_impossible_designs_are_refused(error_rate: float, last: int) -> None:
    with pytest.raises(ValueError, match="no boundaries"):
        find_boundaries(error_rate, last, 0.75)
