"""Installations that others use refuse to run services without isolation."""

import pytest

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.units import Isolation
from backend.tests.accounts import add_user
from worker.isolation import check_isolation, explain_isolation
from worker.runtime.errors import RuntimeUnavailable


def test_an_installation_of_one_person_runs_without_isolation(database: Settings) -> None:
    check_isolation(database, Isolation.NONE)


def test_an_installation_with_accounts_refuses_to(database: Settings) -> None:
    with unit_of_work() as session:
        add_user(session, "ada@example.org")
    check_isolation(database, Isolation.NAMESPACES)
    with pytest.raises(RuntimeUnavailable, match="TACHO_ALLOW_UNISOLATED=true"):
        check_isolation(database, Isolation.NONE)
    check_isolation(database.model_copy(update={"allow_unisolated": True}), Isolation.NONE)


@pytest.mark.parametrize("change", [{"token": "secret"}, {"host": "0.0.0.0"}])
def test_an_installation_that_others_reach_refuses_to(
    database: Settings, change: dict[str, str]
) -> None:
    with pytest.raises(RuntimeUnavailable, match="bubblewrap"):
        check_isolation(database.model_copy(update=change), Isolation.NONE)


def test_only_results_without_isolation_get_a_sentence() -> None:
    sharing = explain_isolation(Isolation.NAMESPACES, uses_host_network=True)
    assert sharing[0].startswith("Not isolated from the network")
    assert explain_isolation(Isolation.NONE)[0].startswith("Not isolated")
    assert explain_isolation(Isolation.NAMESPACES) == explain_isolation(Isolation.CONTAINER) == []
