"""Store the result of a guard in a running Tacho."""

import httpx
import typer

from backend.addresses import API_ROOT, guard_page
from backend.core.config import Settings
from backend.core.results.guard.document import GuardReport
from backend.core.runs.slug import is_slug
from cli.client import ask, get_address, open_client


def publish_report(settings: Settings, url: str, report: GuardReport) -> str | None:
    """Store a report in the Tacho at `url`; return the address of its page.

    A failure is printed, and None returned: the exit code of a guard is its verdict.
    """
    try:
        with open_client(settings, url) as client:
            slug = _read_slug(
                ask(client, "POST", f"{API_ROOT}/guards", report.model_dump(mode="json"))
            )
            # The address that this command was given may contain a password.
            client.base_url = client.base_url.copy_with(userinfo=b"")
            return get_address(client, guard_page(slug))
    except typer.Exit:
        # The reason is printed.
        return None
    except (AttributeError, KeyError, TypeError, httpx.InvalidURL):
        typer.echo(
            "error: The result is not stored: --url is not the address of a Tacho.", err=True
        )
        return None


def _read_slug(stored: object) -> str:
    """Return the slug of an answer. Raises TypeError if the answer is not that of a Tacho."""
    slug = stored.get("slug") if isinstance(stored, dict) else None
    if not isinstance(slug, str) or not is_slug(slug):
        raise TypeError("The answer has no slug.")
    return slug
