"""The reference service's distribution of latencies, as a pure function of its parameters.

A mixture of one or two lognormals (N. L. Johnson, S. Kotz & N. Balakrishnan, "Continuous
univariate distributions", 1994, chapter 14). A stall moves a share of the latencies. In an open
load, requests that are due while the service freezes also wait for the end of the freeze. Their
waits are uniformly distributed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, log

from backend.core.numeric import special

# Maximum difference of a reported latency from the truth.
TOLERANCE_SHARE = 0.02
TOLERANCE_MS = 0.3
# The service freezes once in this time (services/reference/reference/freeze.go).
FREEZE_EVERY_MS = 10_000
_LEAST_SIGMA = 1e-9
_STEPS = 100


@dataclass(frozen=True)
class Distribution:
    """Latencies in ms from the moment when a request is due; `sigma` is a mode's standard deviation
    of the log, shares are 0 to 1.
    """

    median_ms: float
    sigma: float
    second_share: float = 0.0
    second_median_ms: float = 0.0
    stall_share: float = 0.0
    stall_ms: float = 0.0
    freeze_ms: float = 0.0

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, int]) -> Distribution:
        """Return the distribution of a cell of the scenario `calibration`."""
        return cls(
            median_ms=parameters["median_us"] / 1e3,
            sigma=parameters["sigma_percent"] / 100,
            second_share=parameters["second_percent"] / 100,
            second_median_ms=parameters["second_median_us"] / 1e3,
            stall_share=parameters["stall_per_mille"] / 1e3,
            stall_ms=float(parameters["stall_ms"]),
            # Runs of older versions have no such parameter.
            freeze_ms=float(parameters.get("freeze_ms", 0)),
        )

    def share_below(self, latency_ms: float) -> float:
        """Return the share of requests with at most this latency."""
        at_once = self._combine(self._mode_below, latency_ms)
        if not self.freeze_ms:
            return at_once
        # The mean of the share over waits between 0 and `freeze_ms`.
        area = self._combine(self._mode_area, latency_ms)
        area -= self._combine(self._mode_area, latency_ms - self.freeze_ms)
        frozen_share = self.freeze_ms / FREEZE_EVERY_MS
        return (1 - frozen_share) * at_once + frozen_share * area / self.freeze_ms

    def quantile_ms(self, quantile: float) -> float:
        """Return the latency at a quantile (0 to 1, exclusive).

        Computed by bisection on the logarithm, with a relative error below 10⁻¹⁰.
        """
        low, high = log(1e-6), log(1e9)
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if self.share_below(exp(middle)) < quantile:
                low = middle
            else:
                high = middle
        return exp(high)

    def _combine(self, of_mode: Callable[[float, float], float], latency_ms: float) -> float:
        """Return the mean of a function of a latency and a mode's median over modes and stalls."""

        def mix(latency_ms: float) -> float:
            first = (1 - self.second_share) * of_mode(latency_ms, self.median_ms)
            return first + self.second_share * of_mode(latency_ms, self.second_median_ms)

        stalled = self.stall_share * mix(latency_ms - self.stall_ms)
        return (1 - self.stall_share) * mix(latency_ms) + stalled

    def _mode_below(self, latency_ms: float, median_ms: float) -> float:
        if latency_ms <= 0:
            return 0.0
        if median_ms <= 0:
            return 1.0
        return float(special.ndtr(self._standardise(latency_ms, median_ms)))

    def _mode_area(self, latency_ms: float, median_ms: float) -> float:
        """Return the integral of `_mode_below` from 0 to this latency.

        It is the mean of max(0, x − L) for a lognormal L, the price of a put option (F. Black & M.
        Scholes, "The pricing of options and corporate liabilities", 1973) without interest.
        """
        if latency_ms <= 0:
            return 0.0
        if median_ms <= 0:
            return latency_ms
        at = self._standardise(latency_ms, median_ms)
        mean_ms = median_ms * exp(self.sigma**2 / 2)
        below, of_mean = special.ndtr(at), special.ndtr(at - self.sigma)
        return float(latency_ms * below - mean_ms * of_mean)

    def _standardise(self, latency_ms: float, median_ms: float) -> float:
        return log(latency_ms / median_ms) / max(self.sigma, _LEAST_SIGMA)


def is_true(reported_ms: float, expected_ms: float) -> bool:
    """Return whether a reported latency is within 2 % + 0.3 ms of the expected one."""
    return abs(reported_ms - expected_ms) <= TOLERANCE_SHARE * expected_ms + TOLERANCE_MS
