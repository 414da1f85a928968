"""Stored items are kept or removed by need, age and size."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from worker.cleanup.decisions import KeepLimits, decide
from worker.cleanup.shortages import DiskShortage
from worker.runtime.stored import StoredItem, StoredKind

NOW = datetime(2026, 11, 25, tzinfo=UTC)
GIB = 1024**3


def stored(
    name: str,
    days: float,
    gib: int = 1,
    build_name: str = "",
    needed_because: str = "",
    *,
    is_image: bool = False,
) -> StoredItem:
    """Return an item that was last used this many days ago."""
    used_at = NOW - timedelta(days=days)
    kind = StoredKind.BUILD
    size_bytes = gib * GIB
    return StoredItem(
        kind, name, size_bytes, used_at, lambda: None, build_name, needed_because, is_image
    )


def find_removed(
    *items: StoredItem,
    days: int = 0,
    gib: int = 0,
    needs: Mapping[str, str] | None = None,
    shortages: Sequence[DiskShortage] = (),
) -> dict[str, str]:
    """Return the reason of each item that is removed, by its name."""
    decisions = decide(items, needs or {}, KeepLimits(days, gib), NOW, shortages)
    assert {decision.item.name for decision in decisions} == {item.name for item in items}
    return {decision.item.name: decision.reason for decision in decisions if decision.is_removed}


def test_the_least_recently_used_items_are_removed_until_the_rest_fits() -> None:
    items = [stored("second", 4), stored("first", 5), stored("third", 3), stored("fourth", 2, 2)]

    assert find_removed(*items, gib=5) == {}
    assert list(find_removed(*items, gib=4)) == ["first"]
    assert find_removed(*items, gib=3) == dict.fromkeys(
        ["first", "second"], "more than 3 GiB are stored (TACHO_KEEP_GB)"
    )


def test_what_age_removes_counts_for_the_size() -> None:
    items = [stored("old", 40, 3), stored("new", 2, 2)]

    assert list(find_removed(*items, days=30, gib=2)) == ["old"]


def test_what_is_needed_stays_whatever_its_age_and_the_size() -> None:
    items = [
        stored("tacho/a:1", 400, build_name="a-1"),
        stored("tacho-base/node:1", 400),
        stored("in a container", 400, needed_because="a container uses it"),
        stored("unneeded", 400),
    ]
    needs = {"a-1": "a confirmation run may need it", "tacho-base/node:1": "the catalogue needs it"}

    assert list(find_removed(*items, days=30, gib=1, needs=needs)) == ["unneeded"]


def test_an_item_that_was_just_used_stays() -> None:
    assert find_removed(stored("new", 0.9, 100), gib=1) == {}
    assert list(find_removed(stored("new", 1.1, 100), gib=1)) == ["new"]


def test_a_disk_without_space_loses_the_least_recently_used_until_it_has_enough() -> None:
    items = [stored("second", 4), stored("first", 5), stored("third", 3), stored("today", 0.5)]

    found = find_removed(*items, gib=50, shortages=[DiskShortage(GIB + 1)])

    assert found == dict.fromkeys(
        ["first", "second"], "its disk lacks free space (TACHO_HOST_FREE_MB)"
    )


def test_only_items_on_the_disk_without_space_are_removed_for_it() -> None:
    items = [stored("folder", 5), stored("image", 4, is_image=True)]
    of_folders = DiskShortage(10 * GIB, has_images=False)
    of_images = DiskShortage(10 * GIB, has_folders=False)

    assert list(find_removed(*items, shortages=[of_folders])) == ["folder"]
    assert list(find_removed(*items, shortages=[of_images])) == ["image"]
    assert list(find_removed(*items, shortages=[of_images, of_folders])) == ["folder", "image"]
