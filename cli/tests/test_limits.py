"""`tacho limits` against a real server."""

from collections.abc import Callable
from uuid import uuid4

from typer.testing import Result

from backend.core.db import unit_of_work
from backend.core.models import Slo


def test_a_limit_is_added_listed_changed_and_removed(tacho: Callable[..., Result]) -> None:
    assert tacho("limits", "list").stdout == "No limits.\n"

    added = tacho("limits", "add", "hello", "latency_p99_ms", "50", "--framework", "node")

    assert added.exit_code == 0, added.output
    with unit_of_work() as session:
        made = session.query(Slo).one()
        which = str(made.id)
        assert (made.framework, made.profile, made.limit) == ("node", None, 50)
    assert added.stdout == f"latency_p99_ms ≤ 50 ms on hello: {which}\n"
    listed = tacho("limits", "list").stdout
    assert all(told in listed for told in ("hello", "node", "latency_p99_ms ≤ 50 ms", which))
    changed = tacho("limits", "change", which, "12.5")
    assert changed.stdout == "latency_p99_ms ≤ 12.5 ms on hello\n"
    removed = tacho("limits", "remove", which)
    assert removed.stdout == "latency_p99_ms ≤ 12.5 ms on hello is removed.\n"
    with unit_of_work() as session:
        assert session.query(Slo).count() == 0


def test_a_wrong_limit_is_named_and_exits_2(tacho: Callable[..., Result]) -> None:
    scenario = tacho("limits", "add", "helo", "latency_p99_ms", "50")
    metric = tacho("limits", "add", "hello", "latency_p98_ms", "50")
    unknown = tacho("limits", "change", str(uuid4()), "5")

    assert [ended.exit_code for ended in (scenario, metric, unknown)] == [2, 2, 2]
    assert "There is no scenario 'helo'" in scenario.output
    assert "latency_p98_ms" in metric.output
    assert "There is no SLO" in unknown.output
