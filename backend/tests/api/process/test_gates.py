"""Gates and shared calls: the order and the duration of waits."""

import asyncio
import time

import pytest

from backend.api.process.gates import Gate, SharedCalls
from backend.core.errors import Unavailable


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


def test_a_resting_gate_admits_the_next_caller_after_a_rest() -> None:
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

    assert asyncio.run(ask()) >= 2.4 * turn_seconds


def test_a_single_caller_of_a_resting_gate_does_not_wait() -> None:
    async def ask() -> None:
        gate = Gate(1, 0.01, "exports", rests=True)
        async with gate.enter():
            await asyncio.sleep(0.1)
        async with gate.enter():
            pass

    asyncio.run(ask())


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
