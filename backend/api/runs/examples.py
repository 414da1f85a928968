"""Examples for the OpenAPI document: a request for a run, and the run after it has succeeded."""

from backend.core.documents import JsonObject

NEW_RUN: JsonObject = {
    "title": "Node or Go?",
    "cells": [
        {"framework": "node", "scenario": "hello", "parameters": {"rate_rps": 500}},
        {"framework": "go-nethttp", "scenario": "hello", "parameters": {"rate_rps": 500}},
    ],
    "trials": 5,
}
NEW_RUN_WITH_GOAL: JsonObject = {
    "cells": NEW_RUN["cells"],
    "until": "ranked",
    "max_trials": 20,
    "max_minutes": 30,
}
_RUN_ID = "0190f3c2-7b1e-7c3a-8f00-4a5b6c7d8e9f"
_CELL_ID = "0190f3c2-7b1f-7c3a-8f00-4a5b6c7d8e9f"
_TRIAL_ID = "0190f3c2-7b20-7c3a-8f00-4a5b6c7d8e9f"
_NODE = {"slug": "node", "name": "Node.js", "colour": 2}
_HELLO = {"slug": "hello", "name": "Hello"}
_FEW = {
    "verdict": "too_few_trials",
    "detail": "Only 1 of the 5 recommended trials: treat the result as a hint.",
    "trials": 1,
    "excludes_from_ranking": False,
}
_P99 = {
    "estimate": 1.84,
    "low": None,
    "high": None,
    "unit": "ms",
    "n": 1,
    "direction": "lower",
}
RUN: JsonObject = {
    "id": _RUN_ID,
    "slug": "k3v9q2mx4d",
    "title": "Node.js · Hello",
    "status": "succeeded",
    "outcome": "not_usable",
    "summary": "No usable result: Node.js has only 1 trial; at least 3 are needed",
    "visibility": "unlisted",
    "purpose": "comparison",
    "permalink": "/r/k3v9q2mx4d",
    "host": "bench-01",
    "runtime": "docker",
    "frameworks": [_NODE],
    "scenarios": [_HELLO],
    "trials_per_cell": 1,
    "goal": None,
    "progress": {
        "trials_total": 1,
        "trials_finished": 1,
        "trials_failed": 0,
        "share": 1.0,
        "queue_position": None,
        "estimated_seconds_left": None,
    },
    "cancel_requested": False,
    "study": None,
    "requested_by": "ann@example.org",
    "example": False,
    "created_at": "2026-11-20T19:00:00Z",
    "started_at": "2026-11-20T19:00:01Z",
    "finished_at": "2026-11-20T19:00:18Z",
    "seed": 2882343476,
    "rerun_of": None,
    "environment": {"host": {"cpu_model": "AMD EPYC 7B13", "cores": 4}},
    "cells": [
        {
            "id": _CELL_ID,
            "framework": _NODE,
            "scenario": _HELLO,
            "profile": "rate-quick",
            "kind": "rate",
            "parameters": {
                "rate_rps": 500,
                "warm_up_seconds": 3,
                "duration_seconds": 10,
                "timeout_ms": 5000,
            },
            "trials_succeeded": 1,
            "trials_failed": 0,
            "excluded": False,
            "verdicts": [_FEW],
            "summary": {"latency_p99_ms": _P99},
        }
    ],
    "groups": [
        {
            "key": "hello.rate-quick",
            "scenario": _HELLO,
            "profile": "rate-quick",
            "kind": "rate",
            "parameters": {
                "rate_rps": 500,
                "warm_up_seconds": 3,
                "duration_seconds": 10,
                "timeout_ms": 5000,
            },
            "cells": [_CELL_ID],
        }
    ],
    "blocks": [
        {
            "key": "hello.rate-quick",
            "label": "Hello",
            "parameter": "rate_rps",
            "groups": ["hello.rate-quick"],
        }
    ],
    "is_own": True,
    "trials": [
        {
            "id": _TRIAL_ID,
            "cell_id": _CELL_ID,
            "repetition": 1,
            "position": 0,
            "status": "succeeded",
            "attempt": 1,
            "runtime": "docker",
            "started_at": "2026-11-20T19:00:01Z",
            "finished_at": "2026-11-20T19:00:18Z",
            "stage_seconds": {"building": 0.4, "starting": 0.6, "measuring": 10.0},
            "verdicts": [
                {
                    "verdict": "ok",
                    "detail": "No check found a problem.",
                    "trials": 1,
                    "excludes_from_ranking": False,
                }
            ],
            "failure": None,
            "retried_failures": [],
            "metrics": {"throughput_rps": 500.0, "latency_p99_ms": 1.84},
        }
    ],
}
