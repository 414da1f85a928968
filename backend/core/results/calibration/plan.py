"""The cells of a calibration, as the body of a request for a run."""

from backend.core.units import Purpose

RATES_RPS = (200, 1000, 2000, 5000)
_AA_RATE_RPS = 1000
_TRUTH_RATE_RPS = 1000
# The service is the limit at less than 3,000 req/s, which each of the load generators can send.
_FULL_SPEED = {"median_us": 0, "burn_us": 400, "connections": 16, "second_generator": 1}
_QUICK_SECONDS = (1, 3)
_QUICK_TRUTH_SECONDS = (1, 8)
_FULL_SECONDS = (5, 20)
_QUICK_TRIALS = 5
_FULL_TRIALS = 10


def plan_calibration(host: str, *, is_full: bool) -> dict[str, object]:
    """Return the request for a run of about 7 minutes, or about 60 if `full`.

    It measures the null server at each rate (load generator overhead), the reference service at a
    rate and at full throughput, each with a cross-check (error of reported values), and the same
    service twice at a rate and twice at full throughput (minimum detectable difference).
    """
    seconds = _FULL_SECONDS if is_full else _QUICK_SECONDS
    truth_seconds = _FULL_SECONDS if is_full else _QUICK_TRUTH_SECONDS
    null = [_cell("null-server", "hello", "rate-quick", seconds, rate_rps=r) for r in RATES_RPS]
    truth = _cell(
        *("reference", "calibration", "rate-quick"),
        truth_seconds,
        rate_rps=_TRUTH_RATE_RPS,
        second_generator=1,
    )
    full_speed = _cell("reference", "calibration", "saturate-quick", truth_seconds, **_FULL_SPEED)
    at_rate = _cell("go-nethttp", "hello", "rate-quick", seconds, rate_rps=_AA_RATE_RPS)
    saturated = _cell("go-nethttp", "hello", "saturate-quick", seconds)
    return {
        "title": f"Calibration of {host}",
        "host": host,
        "purpose": Purpose.CALIBRATION,
        "trials": _FULL_TRIALS if is_full else _QUICK_TRIALS,
        "cells": [*null, truth, full_speed, at_rate, at_rate, saturated, saturated],
    }


def _cell(
    framework: str, scenario: str, profile: str, seconds: tuple[int, int], **parameters: int
) -> dict[str, object]:
    warm_up, duration = seconds
    span = {"warm_up_seconds": warm_up, "duration_seconds": duration}
    return {
        "framework": framework,
        "scenario": scenario,
        "profile": profile,
        "parameters": span | parameters,
    }
