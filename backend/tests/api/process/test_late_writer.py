"""Items that no request waits for."""

import asyncio
from collections.abc import Hashable, Mapping

import pytest

from backend.api.process import late_writer
from backend.api.process.late_writer import LateWriter
from backend.core.errors import Unavailable


class Store:
    """Remembers what was written, and fails as often as asked."""

    def __init__(self, failures: int = 0) -> None:
        self.written: list[dict[Hashable, int]] = []
        self.has_written = asyncio.Event()
        self._failures = failures

    async def write(self, items: Mapping[Hashable, int]) -> None:
        await asyncio.sleep(0)
        if self._failures:
            self._failures -= 1
            raise Unavailable("All database connections of the API are in use.")
        self.written.append(dict(items))
        self.has_written.set()


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_writer, "_DELAY_SECONDS", 0.0)


def test_items_that_come_together_are_written_together() -> None:
    async def act() -> list[dict[Hashable, int]]:
        store = Store()
        writer = LateWriter(store.write, "items")
        for key, item in (("a", 1), ("b", 2), ("a", 3)):
            writer.add(key, item)
        assert (store.written, dict(writer.waiting)) == ([], {"a": 3, "b": 2})
        await asyncio.wait_for(store.has_written.wait(), 5)
        return store.written

    assert asyncio.run(act()) == [{"a": 3, "b": 2}]


def test_an_item_that_comes_during_a_write_is_written_after_it() -> None:
    async def act() -> list[dict[Hashable, int]]:
        store = Store()
        writer = LateWriter(store.write, "items")
        writer.add("a", 1)
        flushing = asyncio.create_task(writer.flush())
        await asyncio.sleep(0)
        writer.add("a", 2)
        await flushing
        return store.written

    assert asyncio.run(act()) == [{"a": 1}, {"a": 2}]


def test_items_that_could_not_be_written_are_dropped(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")

    async def act() -> list[dict[Hashable, int]]:
        store = Store(failures=1)
        writer = LateWriter(store.write, "items")
        writer.add("a", 1)
        await writer.flush()
        writer.add("b", 2)
        await writer.flush()
        return store.written

    assert asyncio.run(act()) == [{"b": 2}]
    assert "items were not stored: All database connections" in caplog.text


def test_a_closed_writer_writes_nothing_more() -> None:
    async def act() -> list[dict[Hashable, int]]:
        store = Store()
        writer = LateWriter(store.write, "items")
        writer.add("a", 1)
        await writer.close()
        await asyncio.sleep(0.01)
        return store.written

    assert asyncio.run(act()) == []
