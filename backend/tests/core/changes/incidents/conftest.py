"""A host for tests of incidents."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from backend.core.config import get_settings
from backend.tests.factories import add_host


@pytest.fixture
def host_id(session: Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[UUID]:
    """A host without automatic confirmation runs, which these tests do not need."""
    monkeypatch.setenv("TACHO_CONFIRMATION_PAIRS", "0")
    get_settings.cache_clear()
    yield add_host(session).id
    monkeypatch.undo()
    get_settings.cache_clear()
