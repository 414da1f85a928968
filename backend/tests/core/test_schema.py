"""The revision that this version needs, and how others differ from it."""

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.orm import Session

from backend.core.operations.migration import alembic_config
from backend.core.schema import (
    SchemaMismatch,
    SchemaState,
    check_schema,
    find_mismatch,
    find_refused,
    get_revision,
)
from backend.tests.revisions import NEWER, OLDER, TOO_OLD


def test_the_revision_is_the_head_of_alembic() -> None:
    scripts = ScriptDirectory.from_config(alembic_config(""))

    assert get_revision() == scripts.get_current_head()


def test_the_own_revision_fits() -> None:
    assert find_mismatch(get_revision()) is None


@pytest.mark.parametrize(
    ("revision", "state", "words"),
    [
        (None, SchemaState.MISSING, "Run `tacho migrate`"),
        (OLDER, SchemaState.OLDER, "Run `tacho migrate`"),
        (TOO_OLD, SchemaState.TOO_OLD, "Upgrade to the commit"),
        (NEWER, SchemaState.NEWER, "Update Tacho on this machine"),
    ],
)
def test_another_revision_is_explained(
    revision: str | None, state: SchemaState, words: str
) -> None:
    mismatch = find_mismatch(revision)

    assert mismatch is not None
    assert mismatch.state is state
    assert words in mismatch.detail


def test_a_refusal_to_read_the_revision_is_an_older_schema() -> None:
    """Before this check existed, bench hosts could not read the revision."""
    refused = find_refused("42501")

    assert refused is not None
    assert refused.state is SchemaState.OLDER
    assert find_refused("57014") is None


def test_a_database_without_the_table_has_no_schema(session: Session) -> None:
    session.execute(text("DROP TABLE alembic_version"))

    with pytest.raises(SchemaMismatch, match="no schema of Tacho"):
        check_schema(session)
