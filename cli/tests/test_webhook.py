"""`tacho webhook` against a real server."""

from collections.abc import Callable

from typer.testing import Result

from backend.core.db import unit_of_work
from backend.core.models import Webhook
from backend.tests.receiving import Receiver


def test_a_webhook_is_added_tested_listed_and_removed(
    tacho: Callable[..., Result], target: Receiver
) -> None:
    assert tacho("webhook", "list").stdout == "No webhooks.\n"

    added = tacho("webhook", "add", target.url, "--event", "run.finished")

    assert added.exit_code == 0, added.output
    with unit_of_work() as session:
        made = session.query(Webhook).one()
        which = str(made.id)
    address, secret = added.stdout.splitlines()
    assert address == f"{target.url}: {which}"
    assert secret.startswith("Secret: whsec_")
    listed = tacho("webhook", "list").stdout
    assert all(told in listed for told in (target.url, "run.finished", "enabled", which))
    sent = tacho("webhook", "test", which)
    assert sent.stdout.startswith("Delivered in ")
    assert sent.stdout.endswith("status 204.\n")
    assert tacho("webhook", "remove", which).stdout == f"{target.url} is removed.\n"
    assert tacho("webhook", "list").stdout == "No webhooks.\n"


def test_a_test_that_is_not_delivered_exits_1(
    tacho: Callable[..., Result], target: Receiver
) -> None:
    tacho("webhook", "add", target.url, "--event", "run.finished")
    with unit_of_work() as session:
        which = str(session.query(Webhook).one().id)
    target.statuses = [500]

    failed = tacho("webhook", "test", which)

    assert failed.exit_code == 1
    assert "The test was not delivered: status 500" in failed.output
