"""The benchmark of `tacho guard`: planted costs, outcomes, and simulated guards."""

import random
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from backend.core.catalog.own.http_file import parse_http_file
from backend.core.units import Metric
from tools.benchmarks.guard import choose_cost
from tools.benchmarks.guard_records import (
    ComparisonKind,
    GuardRecord,
    Outcome,
    count_outcomes,
    find_cpu_us,
    find_noise,
    name_record,
)
from tools.benchmarks.guard_simulation import (
    SimulatedGuard,
    SimulatedVerdict,
    find_deviations,
    find_shapes,
    find_share,
)
from tools.benchmarks.guarded_examples import (
    EXAMPLES,
    PlantedCost,
    plan_pairs,
    read_example,
    wrap,
    write_repository,
)

CPU = Metric.CPU_US_PER_REQUEST
DESCRIPTION = """\
[process]
run = ["sh", "-c", "exec {java} -jar \\"$HOST\\" 'a\\\\b'"]
[loads.main]
"""


def make_record(
    verdict: str | None,
    kind: ComparisonKind = ComparisonKind.SAME,
    pairs: list[tuple[float, float]] | None = None,
) -> GuardRecord:
    document: Mapping[str, object] | None = None
    if verdict is not None:
        document = {"verdict": verdict, "minutes": 4.0, "loads": []}
    values = [{"load": "main", "base": {CPU: a}, "head": {CPU: b}} for a, b in pairs or []]
    return GuardRecord("shop", kind, 1, PlantedCost(), 15, 300.0, document, "", values)


@pytest.mark.parametrize("folder", sorted(EXAMPLES.glob("*/")), ids=lambda path: path.name)
def test_each_example_is_valid_and_can_be_wrapped(folder: Path) -> None:
    service = read_example(folder.name)

    assert service.service.name == folder.name
    assert service.process is not None
    assert service.docker is None
    for load in service.loads.values():
        if load.script is not None:
            # Without checks, a guard would not see wrong responses.
            assert "check(" in (folder / load.script).read_text()
            continue
        requests = parse_http_file(folder / load.file, folder).requests
        assert 2 <= len(requests) <= 5
    wrapped = wrap((folder / "tacho.toml").read_text(), PlantedCost(burn_us=5))
    assert tomllib.loads(wrapped)["process"]["run"][-len(service.process.run) :] == list(
        service.process.run
    )


def test_a_service_starts_behind_the_proxy() -> None:
    run = tomllib.loads(DESCRIPTION)["process"]["run"]

    wrapped = tomllib.loads(wrap(DESCRIPTION, PlantedCost(sleep_us=2000)))

    proxy = ["./planted-proxy", "-burn-us", "0", "-sleep-us", "2000", "--"]
    assert wrapped == {"process": {"run": [*proxy, *run]}, "loads": {"main": {}}}


def test_a_command_in_several_lines_is_refused() -> None:
    with pytest.raises(ValueError, match="exactly one line"):
        wrap('[process]\nrun = [\n"a"]\n', PlantedCost())


@pytest.mark.parametrize(
    ("cost", "changed"), [(PlantedCost(), "NOTES.md"), (PlantedCost(burn_us=40), "tacho.toml")]
)
def test_base_and_head_differ_only_in_the_cost(
    tmp_path: Path, cost: PlantedCost, changed: str
) -> None:
    proxy = tmp_path / "planted-proxy"
    proxy.write_text("#!/bin/sh\n")
    proxy.chmod(0o755)

    write_repository(tmp_path / "repository", "json-server", proxy, cost)

    def git(*arguments: str) -> list[str]:
        command = ["git", "-C", str(tmp_path / "repository"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    assert git("diff", "--name-only", "HEAD~1", "HEAD") == [changed]
    assert {"planted-proxy", "package.json", "loads/main.http"} <= set(git("ls-files"))


@pytest.mark.parametrize(
    ("kind", "verdict", "outcome"),
    [
        (ComparisonKind.SAME, "no_difference", Outcome.RIGHT),
        (ComparisonKind.SAME, "slower", Outcome.FALSE_ALARM),
        (ComparisonKind.SAME, "faster", Outcome.WRONG),
        (ComparisonKind.SAME, "unknown", Outcome.UNKNOWN),
        (ComparisonKind.SAME, "responses_differ", Outcome.FAILED),
        (ComparisonKind.PLANTED, "slower", Outcome.FOUND),
        (ComparisonKind.PLANTED, "no_difference", Outcome.WRONG),
        (ComparisonKind.PLANTED, "faster", Outcome.WRONG),
        (ComparisonKind.PLANTED, "unknown", Outcome.UNKNOWN),
        (ComparisonKind.PLANTED, None, Outcome.FAILED),
    ],
)
def test_a_verdict_has_one_outcome(
    kind: ComparisonKind, verdict: str | None, outcome: Outcome
) -> None:
    assert make_record(verdict, kind).outcome is outcome


def test_shares_are_of_planted_costs_and_of_all_comparisons() -> None:
    same = [make_record("no_difference"), make_record("unknown")]
    planted = [
        make_record("slower", ComparisonKind.PLANTED),
        make_record("unknown", ComparisonKind.PLANTED),
    ]

    figures = count_outcomes([*same, *planted])

    assert (figures["same"], figures["planted"]) == (2, 2)
    assert (figures["share_found"], figures["share_unknown"]) == (0.5, 0.5)
    assert (figures["false_alarms"], figures["wrong"], figures["failed"]) == (0, 0, 0)


def test_more_minutes_plan_more_pairs() -> None:
    assert plan_pairs("go-httpbin", 1) == 3
    assert plan_pairs("go-httpbin", 15) == 22


def test_costs_take_turns() -> None:
    assert choose_cost(ComparisonKind.SAME, 1, 400.0) == PlantedCost()
    costs = [choose_cost(ComparisonKind.PLANTED, number, 400.0) for number in (1, 2, 3, 4)]
    assert costs == [
        PlantedCost(burn_us=40),
        PlantedCost(sleep_us=2000),
        PlantedCost(burn_us=28),
        PlantedCost(burn_us=40),
    ]
    assert [cost.describe() for cost in costs[:2]] == ["40 µs of CPU", "2 ms of latency"]


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    record = make_record("slower", ComparisonKind.PLANTED, [(100.0, 110.0)])

    record.write(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["shop-planted-1.json"]
    assert GuardRecord.read(tmp_path / name_record("shop", ComparisonKind.PLANTED, 1)) == record


def test_noise_comes_from_equal_versions_only() -> None:
    records = [
        make_record("no_difference", pairs=[(100.0, 100.0), (200.0, 100.0)]),
        make_record("slower", ComparisonKind.PLANTED, [(100.0, 500.0)]),
    ]

    assert find_noise(records, "shop")[CPU] == pytest.approx([0.0, -0.6931], abs=1e-4)
    assert find_noise(records, "another") == {}
    assert find_cpu_us(records[0]) == pytest.approx(118.92, abs=0.01)
    assert find_cpu_us(make_record(None)) is None


def test_simulated_guards_find_what_is_larger_than_the_noise() -> None:
    draw = random.Random(7)
    noises = [{CPU: [draw.gauss(0, sigma) for _ in range(30)]} for sigma in (0.01, 0.03)]
    shapes = find_shapes(noises)
    deviations = find_deviations(noises[0])
    guard = SimulatedGuard({CPU: 0.03}, deviations, shapes, 15, 15)

    def share(effect: float, verdict: SimulatedVerdict) -> float:
        return find_share(guard, {CPU: effect}, verdict, 40, seed=1)

    assert deviations[CPU] == pytest.approx(0.01, rel=0.4)
    assert len(shapes[CPU]) == 60
    assert share(1.0, SimulatedVerdict.SLOWER) == 0
    assert share(1.1, SimulatedVerdict.SLOWER) == 1
    assert share(1.0, SimulatedVerdict.OK) == 1


def test_a_simulated_guard_without_enough_pairs_is_unknown() -> None:
    shapes = {CPU: [-1.0, 1.0]}
    guard = SimulatedGuard({CPU: 0.03}, {CPU: 0.5}, shapes, 3, 3)

    assert find_share(guard, {}, SimulatedVerdict.UNKNOWN, 5, seed=1) == 1
