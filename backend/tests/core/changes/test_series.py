"""What is watched for changes."""

from backend.core.changes.series import WATCHED
from backend.core.units import ProfileKind


def test_each_kind_of_load_is_watched() -> None:
    assert set(WATCHED) == set(ProfileKind)
