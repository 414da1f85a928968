"""The differences between the environments of trials; irrelevant differences are ignored."""

from collections.abc import Collection
from copy import deepcopy
from typing import Any, cast

import pytest

from backend.core.documents import TrialEnvironment
from backend.core.results.environment import OF_CELL, Difference, differences, shared_by, without
from backend.core.units import LatencyStart, ServiceNetwork

ENVIRONMENT: dict[str, Any] = {
    "host": {
        "cpu_model": "Some CPU",
        "memory_bytes": 25_000_000_000,
        "kernel": "6.1",
        "runtime": "process",
        "engine": "linux",
        "engine_version": "6.1",
        "toolchains": {"node": "24.4.1", "go": "1.25.3"},
        "mitigations": {"meltdown": "Not affected"},
        "cpus": {"service": "0", "load": "1", "backing": "1"},
    },
    "host_digest": "aa",
    "harness": {"tacho": "0.1.0", "k6_sha256": "ab" * 32},
    "harness_digest": "bb",
    "runtime": "process",
    "cpus": {"service": [0], "load": [1], "backing": [1]},
    "resource_source": "cgroup_v1",
    "framework_digest": "cd" * 32,
    "scenario_digest": "ef" * 32,
}


def compare(
    one: dict[str, Any], other: dict[str, Any], ignoring: Collection[str] = ()
) -> list[Difference]:
    return differences(cast("TrialEnvironment", one), cast("TrialEnvironment", other), ignoring)


def changed(path: str, value: Any, host_digest: str = "other") -> dict[str, Any]:
    """Return the environment with one changed value and the matching digest of the host."""
    environment = deepcopy(ENVIRONMENT)
    environment["host_digest"] = host_digest
    *folders, last = path.split("/")
    place = environment
    for folder in folders:
        place = place[folder]
    place[last] = value
    return environment


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("host/kernel", "6.2", Difference("host.kernel", "6.1", "6.2")),
        ("host/toolchains/node", "24.5.0", Difference("host.toolchains.node", "24.4.1", "24.5.0")),
        ("host/cpu_turbo", "on", Difference("host.cpu_turbo", "none", "on")),
        ("harness/tacho", "0.2.0", Difference("harness.tacho", "0.1.0", "0.2.0")),
        (
            "harness/k6_sha256",
            "0" * 64,
            Difference("harness.k6_sha256", "abababababab", "000000000000"),
        ),
        ("cpus/service", [0, 1], Difference("cpus.service", "0", "0-1")),
        ("framework_digest", "0" * 64, Difference("framework", "cd" * 6, "0" * 12)),
        ("scenario_digest", "0" * 64, Difference("scenario", "ef" * 6, "0" * 12)),
        ("resource_source", "process", Difference("resources", "cgroup_v1", "process")),
    ],
)
def test_a_change_is_named(path: str, value: Any, expected: Difference) -> None:
    assert compare(ENVIRONMENT, changed(path, value)) == [expected]


def test_equal_environments_have_no_differences() -> None:
    assert compare(ENVIRONMENT, deepcopy(ENVIRONMENT)) == []
    assert compare({}, ENVIRONMENT) == compare({}, {}) == []


def test_reserved_memory_of_the_kernel_is_not_a_difference_of_hosts() -> None:
    again = changed("host/memory_bytes", 24_999_000_000, host_digest="aa")
    assert compare(ENVIRONMENT, again) == []


def test_another_runtime_is_a_single_difference() -> None:
    docker = changed("runtime", "docker")
    docker["host"] |= {"runtime": "docker", "engine": "docker", "engine_version": "27", "kernel": 7}
    docker["host"]["toolchains"] = {}
    docker["framework_digest"] = "0" * 64

    found = compare(ENVIRONMENT, docker)

    assert [item.subject for item in found] == ["runtime", "host.kernel"]
    assert str(found[0]) == "runtime (process or docker)"


def test_cells_of_a_run_differ_in_framework_and_scenario_by_intention() -> None:
    other = changed("framework_digest", "0" * 64) | {"scenario_digest": "1" * 64}
    assert compare(ENVIRONMENT, other, OF_CELL) == []


def test_shared_and_individual_values_are_separated() -> None:
    node = {"image": "node:1", "host": {"kernel": "6.1", "load": 1}, "builds": {"node": "a"}}
    go = {"image": "go:2", "host": {"kernel": "6.1", "load": 2}, "builds": {"go": "b"}}

    shared = shared_by([node, go])

    assert shared == {"host": {"kernel": "6.1"}}
    assert without(go, shared) == {"image": "go:2", "host": {"load": 2}, "builds": {"go": "b"}}
    assert (shared_by([node]), without(node, node), shared_by([])) == (node, {}, {})


def test_the_network_of_the_service_is_a_difference_under_load_of_load_hosts() -> None:
    load_hosts = [{"name": "load-1", "host_digest": "cc"}]
    older = ENVIRONMENT | {"load_hosts": load_hosts}
    in_host = older | {"service_network": ServiceNetwork.HOST}
    in_pod = older | {"service_network": ServiceNetwork.OWN}

    assert compare(older, in_host) == []
    assert compare(older, in_pod) == compare(in_host, in_pod)
    assert compare(in_host, in_pod) == [
        Difference("service_network", ServiceNetwork.HOST, ServiceNetwork.OWN)
    ]


def test_the_moment_from_which_latency_counts_is_a_difference_between_runs() -> None:
    older = dict(ENVIRONMENT)
    from_send = older | {"latency_from": LatencyStart.SEND}
    from_due = older | {"latency_from": LatencyStart.DUE}

    assert compare(older, from_send) == []
    assert compare(older, from_due) == [Difference("latency", "from the send", "from the due time")]
    assert compare(older, from_due, OF_CELL) == []
