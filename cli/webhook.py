"""`tacho webhook`: manage the webhooks of a workspace from a shell."""

from typing import Annotated

import typer
from rich.table import Table

from backend.core.statuses import WebhookEvent
from cli.cells import Url
from cli.client import ExitCode, ask, call, open_client
from cli.console import fail, read_settings
from cli.results import make_console

_PATH = "/api/v1/webhooks"
_Which = Annotated[str, typer.Argument(metavar="WEBHOOK", help="Id of the webhook.")]

app = typer.Typer(
    help="Addresses to which Tacho sends events.\n\n"
    "Exit codes: 0 done, 1 Tacho does not answer or the test was not delivered, 2 refused.",
    no_args_is_help=True,
)


@app.command("list")
def list_all(url: Url = None) -> None:
    """List all webhooks of the workspace."""
    found = call(url, "GET", _PATH)["items"]
    table = Table("Address", "Events", "State", "Id")
    for webhook in found:
        state = "enabled" if webhook["enabled"] else webhook["disabled_reason"] or "disabled"
        table.add_row(webhook["url"], ", ".join(webhook["events"]), state, webhook["id"])
    make_console(200).print(table if found else "No webhooks.")


@app.command("add")
def add(
    address: Annotated[str, typer.Argument(help="A public https address.")],
    event: Annotated[list[WebhookEvent], typer.Option(help="Event to send; may be repeated.")],
    description: Annotated[str, typer.Option(help="Shown in the list.")] = "",
    url: Url = None,
) -> None:
    """Add a webhook, and print its secret. Tacho does not show the secret again."""
    body = {"url": address, "events": event, "description": description}
    made = call(url, "POST", _PATH, body)
    print(f"{made['url']}: {made['id']}\nSecret: {made['secret']}")


@app.command("test")
def send_test(webhook: _Which, url: Url = None) -> None:
    """Send a test event now, and print the response."""
    sent = call(url, "POST", f"{_PATH}/{webhook}/test")
    attempt = sent["attempts"][-1]
    told = attempt["error"] or f"status {attempt['status']}"
    if sent["status"] != "delivered":
        fail(f"The test was not delivered: {told}", ExitCode.FAILED)
    print(f"Delivered in {attempt['duration_ms']:.0f} ms: {told}.")


@app.command("remove")
def remove(webhook: _Which, url: Url = None) -> None:
    """Remove a webhook with the log of its deliveries."""
    with open_client(read_settings(), url) as client:
        found = ask(client, "GET", f"{_PATH}/{webhook}")
        ask(client, "DELETE", f"{_PATH}/{webhook}")
    print(f"{found['url']} is removed.")
