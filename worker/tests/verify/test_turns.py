"""Recently changed frameworks come first, and every framework gets its turn."""

from datetime import UTC, datetime, timedelta

from backend.core.catalog.folders import Catalogue
from backend.core.config import ROOT
from worker.verify.turns import order_by_turn, read_changes

NOW = datetime(2026, 11, 21, 17, tzinfo=UTC)
OLD = NOW - timedelta(days=30)


def test_recently_changed_frameworks_come_first() -> None:
    changed = {"a": OLD, "b": NOW - timedelta(hours=9), "c": None, "d": NOW - timedelta(hours=1)}

    turns = order_by_turn(changed, NOW)

    assert turns[:2] == ["d", "b"]
    assert set(turns[2:]) == {"a", "c"}


def test_every_framework_is_among_the_first_three_within_its_days() -> None:
    changed = {f"f{number:02}": OLD for number in range(25)}
    days = [NOW + timedelta(days=day) for day in range(9)]

    first = {slug for day in days for slug in order_by_turn(changed, day)[:3]}

    assert first == set(changed)


def test_changes_are_read_from_the_clone() -> None:
    changed = read_changes(Catalogue(ROOT / "services"))

    node = changed["node"]
    assert node is not None
    assert node < datetime.now(UTC)
