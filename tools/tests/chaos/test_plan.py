"""A seed determines a plan, which contains as many kinds of faults as possible."""

from backend.core.statuses import TrialStatus
from backend.core.units import RuntimeKind
from tools.chaos.faults import DISK_TARGETS, ENGINE_TARGETS, FINALIZING, KINDS, Target
from tools.chaos.load import COMPILED, LOADS
from tools.chaos.plan import list_left_out, make_plan, split_count

_PROCESS = [RuntimeKind.PROCESS]
_BOTH = [RuntimeKind.PROCESS, RuntimeKind.DOCKER]


def test_a_seed_repeats_its_plan() -> None:
    assert make_plan(7, 60, _BOTH) == make_plan(7, 60, _BOTH)
    assert make_plan(7, 60, _BOTH) != make_plan(8, 60, _BOTH)


def test_faults_are_numbered_from_1_and_a_quarter_strikes_in_docker() -> None:
    plan = make_plan(1, 60, _BOTH)

    assert [fault.number for fault in plan] == list(range(1, 61))
    assert [fault.runtime for fault in plan].count(RuntimeKind.DOCKER) == 15
    assert split_count(8, [RuntimeKind.DOCKER]) == {RuntimeKind.DOCKER: 8}


def test_eighty_faults_contain_every_kind() -> None:
    for seed in range(20):
        kinds = {fault.kind for fault in make_plan(seed, 80, _BOTH)}

        assert kinds == set(KINDS)


def test_each_fault_is_at_an_allowed_stage() -> None:
    for fault in make_plan(3, 200, _BOTH):
        kind = fault.kind
        assert fault.stage in kind.stages
        assert fault.runtime in kind.runtimes
        assert kind.hold_s[0] <= fault.hold_s <= kind.hold_s[1]
        assert fault.load in (kind.loads or LOADS)
        if fault.stage is TrialStatus.BUILDING:
            assert fault.load == COMPILED
        if kind.target is Target.MESSAGES:
            assert fault.trials == 1


def test_a_small_plan_has_no_long_fault_and_a_large_plan_has_each_once() -> None:
    assert not any(fault.kind.is_long for fault in make_plan(1, 8, _PROCESS))
    long = [fault.kind for fault in make_plan(1, 90, _PROCESS) if fault.kind.is_long]
    assert len(long) == len(set(long)) > 0


def test_a_small_plan_in_docker_begins_with_containers() -> None:
    targets = {fault.kind.target for fault in make_plan(1, 4, [RuntimeKind.DOCKER])}

    assert targets <= {
        Target.SERVICE,
        Target.BACKING,
        Target.HOLDER,
        Target.ENGINE,
        Target.ENGINE_DISK,
    }


def test_a_small_plan_in_both_runtimes_needs_no_engine_of_its_own() -> None:
    plan = make_plan(1, 20, _BOTH)

    assert [fault.runtime for fault in plan].count(RuntimeKind.DOCKER) == 5
    assert not {fault.kind.target for fault in plan} & ENGINE_TARGETS
    assert {fault.kind.target for fault in make_plan(1, 200, _BOTH)} >= ENGINE_TARGETS


def test_only_faults_of_the_engine_strike_builds_in_docker_if_both_runtimes_are_struck() -> None:
    for fault in make_plan(3, 400, _BOTH):
        if fault.stage is TrialStatus.BUILDING and fault.runtime is RuntimeKind.DOCKER:
            assert fault.kind.target in ENGINE_TARGETS


def test_each_stage_of_a_trial_and_the_finalization_is_struck_at_random_moments() -> None:
    plan = [fault for fault in make_plan(3, 200, _BOTH) if fault.kind.target is not Target.MESSAGES]

    for stage in (*TrialStatus, FINALIZING):
        delays = [fault.delay_s for fault in plan if fault.stage == stage]
        assert not delays or len(set(delays)) > 1
    finalizing = {fault.kind.target for fault in plan if fault.stage == FINALIZING}
    assert finalizing == {
        Target.WORKER,
        Target.DISPATCHER,
        Target.REDIS,
        Target.BACKEND,
        Target.DATABASE,
    }


def test_what_the_machine_cannot_do_of_the_wanted_runtimes_is_left_out() -> None:
    assert list_left_out(_BOTH, _BOTH, frozenset()) == []
    assert list_left_out(_PROCESS, _PROCESS, ENGINE_TARGETS) == []
    assert list_left_out(_BOTH, _PROCESS, DISK_TARGETS | ENGINE_TARGETS) == [
        "runtime docker",
        "disk of the data folder",
        "disk of the database",
        "disk of the engine",
        "engine",
    ]
