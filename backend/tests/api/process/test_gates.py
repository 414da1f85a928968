"""Gates and shared calls: the order and the duration of waits."""

import asyncio
import time
from itertools import pairwise

import pytest

from backend.api.process.callers import (
    FREE_SECONDS,
    ComputingTime,
    find_current_caller,
    set_current_caller,
)
from backend.api.process.gates import Gate, SharedCalls
from backend.core.errors import LimitExceeded, Unavailable


def test_waiting_callers_share_a_call_that_begins_after_they_arrived() -> None:
    begun: list[int] = []
    has_begun, release = asyncio.Event(), asyncio.Event()

    async def read(_: str) -> int:
        begun.append(len(begun) + 1)
        number = begun[-1]
        has_begun.set()
        await release.wait()
        return number

    async def ask() -> list[int]:
        calls = SharedCalls(read)
        first = asyncio.create_task(calls.get("run"))
        await has_begun.wait()
        # The first call has already begun, so it may have read an older state.
        later = [asyncio.create_task(calls.get("run")) for _ in range(50)]
        other = asyncio.create_task(calls.get("another run"))
        await asyncio.sleep(0)
        release.set()
        return [await first, *await asyncio.gather(*later), await other]

    first, *later, other = asyncio.run(ask())

    assert first == 1
    assert set(later) == {max(later)}
    assert sorted({first, *later, other}) == [1, 2, 3]


def test_a_failure_reaches_all_callers_and_the_next_call_starts_again() -> None:
    calls_made: list[int] = []

    async def fail_once(_: str) -> int:
        calls_made.append(1)
        if len(calls_made) == 1:
            raise ValueError("no")
        return len(calls_made)

    async def ask() -> list[object]:
        calls = SharedCalls(fail_once)
        failed = await asyncio.gather(*(calls.get("run") for _ in range(3)), return_exceptions=True)
        return [*map(type, failed), await calls.get("run")]

    assert asyncio.run(ask()) == [ValueError, ValueError, ValueError, 2]


def test_a_gate_refuses_callers_that_wait_longer_than_their_limit() -> None:
    async def ask() -> list[str]:
        gate = Gate(1, 0.01, "exports")
        entered = []

        async def wait_patiently() -> None:
            async with gate.enter(is_patient=True):
                entered.append("patient")

        async with gate.enter():
            entered.append("first")
            patient = asyncio.create_task(wait_patiently())
            with pytest.raises(Unavailable, match="busy with other exports"):
                async with gate.enter():
                    entered.append("never")
        await patient
        return entered

    assert asyncio.run(ask()) == ["first", "patient"]


def test_a_resting_gate_admits_waiting_callers_after_a_rest() -> None:
    turn_seconds = 0.02

    async def ask() -> float:
        gate = Gate(1, 10, "exports", rests=True)
        ends: list[float] = []

        async def compute() -> None:
            async with gate.enter():
                await asyncio.sleep(turn_seconds)
            ends.append(time.monotonic())

        await asyncio.gather(compute(), compute())
        return ends[1] - ends[0]

    async def ask_alone() -> None:
        gate = Gate(1, 0.01, "exports", rests=True)
        async with gate.enter():
            await asyncio.sleep(0.1)
        async with gate.enter():
            pass

    assert asyncio.run(ask()) >= 1.9 * turn_seconds
    asyncio.run(ask_alone())


def test_the_next_shared_call_begins_after_a_rest() -> None:
    call_seconds = 0.02
    begun: list[float] = []

    async def read(_: str) -> None:
        begun.append(time.monotonic())
        await asyncio.sleep(call_seconds)

    async def ask() -> None:
        calls = SharedCalls(read)

        async def ask_twice() -> None:
            await calls.get("run")
            await calls.get("run")

        await asyncio.gather(ask_twice(), ask_twice())

    asyncio.run(ask())

    assert len(begun) == 2
    assert begun[1] - begun[0] >= 2.9 * call_seconds


async def compute_as(gate: Gate, caller: str | None, order: list[str | None]) -> None:
    set_current_caller(caller)
    async with gate.enter():
        order.append(caller)
        await asyncio.sleep(0)


def test_callers_take_turns_however_many_requests_they_send() -> None:
    async def ask() -> list[str | None]:
        gate = Gate(1, 10, "large requests")
        order: list[str | None] = []
        first = [asyncio.create_task(compute_as(gate, "ada", order)) for _ in range(50)]
        await asyncio.sleep(0)
        others = [
            asyncio.create_task(compute_as(gate, caller, order)) for caller in ("bob", "cy", None)
        ]
        await asyncio.gather(*first, *others)
        return order

    order = asyncio.run(ask())

    assert len(order) == 53
    assert set(order[:6]) == {"ada", "bob", "cy", None}


def test_a_caller_with_too_long_requests_gets_another_error_than_the_others() -> None:
    async def ask() -> None:
        gate = Gate(2, 0.01, "sign-ins")
        set_current_caller("ada")
        async with gate.enter():
            with pytest.raises(LimitExceeded, match="Your other requests"):
                async with gate.enter():
                    pass
            assert gate.refused == 1
            set_current_caller("bob")
            async with gate.enter():
                pass

    asyncio.run(ask())


def test_cancelled_requests_leave_their_turns_to_others() -> None:
    async def ask() -> list[str | None]:
        gate = Gate(1, 10, "large requests")
        order: list[str | None] = []
        async with gate.enter():
            tasks = [asyncio.create_task(compute_as(gate, "ada", order)) for _ in range(10)]
            await asyncio.sleep(0)
            last = asyncio.create_task(compute_as(gate, "bob", order))
            await asyncio.sleep(0)
            for task in tasks[1:]:
                task.cancel()
        # The turn is given while the cancelled requests still wait, and while one gets it.
        await asyncio.sleep(0)
        tasks[0].cancel()
        await asyncio.gather(last, *tasks, return_exceptions=True)
        assert (gate.in_use, gate.waiting) == (0, 0)
        return order

    assert asyncio.run(ask())[-1] == "bob"


def make_heavy(caller: str) -> ComputingTime:
    computing = ComputingTime()
    computing.spend(caller, FREE_SECONDS + 1)
    return computing


def test_a_heavy_caller_rests_between_requests_and_others_do_not() -> None:
    turn_seconds = 0.02
    begun: dict[str, list[float]] = {"ada": [], "bob": []}

    async def ask() -> None:
        gate = Gate(4, 10, "large requests", computing=make_heavy("ada"))

        async def compute(caller: str) -> None:
            set_current_caller(caller)
            async with gate.enter():
                begun[caller].append(time.monotonic())
                await asyncio.sleep(turn_seconds)

        await asyncio.gather(*map(compute, ["ada", "ada", "ada", "bob", "bob"]))
        # Also a caller who sends one request after the other.
        await compute("ada")

    asyncio.run(ask())

    pauses = [after - before for before, after in pairwise(begun["ada"])]
    assert len(pauses) == 3
    assert min(pauses) >= 1.9 * turn_seconds
    assert max(begun["bob"]) < begun["ada"][1]


def test_a_request_with_a_turn_does_not_wait_for_its_caller_to_rest() -> None:
    async def ask() -> None:
        computing = make_heavy("ada")
        outer = Gate(1, 0.01, "large requests", computing=computing)
        inner = Gate(10, 0.01, "database connections", computing=computing, is_inner=True)
        set_current_caller("ada")
        async with outer.enter():
            async with inner.enter():
                pass
            async with inner.enter():
                pass
        async with inner.enter():
            await asyncio.sleep(0.1)
        with pytest.raises(LimitExceeded, match="Your other requests"):
            async with inner.enter():
                pass
        async with inner.enter(is_quick=True):
            pass

    asyncio.run(ask())


def test_the_limit_of_one_caller_does_not_fail_a_call_that_others_share() -> None:
    async def read(key: str) -> str:
        await asyncio.sleep(0.01)
        if find_current_caller() == "ada":
            raise LimitExceeded("Send fewer requests.", 2)
        return key

    async def ask() -> list[object]:
        calls = SharedCalls(read)

        async def get(caller: str) -> str:
            set_current_caller(caller)
            return await calls.get("run")

        return await asyncio.gather(*map(get, ["ada", "bob", "cy"]), return_exceptions=True)

    first, *others = asyncio.run(ask())

    assert isinstance(first, LimitExceeded)
    assert others == ["run", "run"]
