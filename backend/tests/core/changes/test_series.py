"""The metrics that are searched for changes."""

from backend.core.units import WATCHED_METRICS, ProfileKind


def test_each_kind_of_load_is_watched() -> None:
    assert set(WATCHED_METRICS) == set(ProfileKind)
