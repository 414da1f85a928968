"""`tacho operator`: print a link for the first operator, or a link that resets a password."""

from collections.abc import Callable
from typing import Annotated

import typer
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from backend.addresses import join_page
from backend.core.config import Settings
from backend.core.db import make_engine
from backend.core.errors import Conflict, TachoError
from backend.core.people.accounts.links import (
    NewLink,
    create_first_operator_link,
    create_operator_reset_link,
)
from backend.core.schema import check_schema
from backend.platform.errors import PlatformError
from backend.platform.network import is_proxied, public_url, trusts_loopback
from cli.console import fail, read_settings
from cli.database import find_database

Email = Annotated[
    str | None,
    typer.Option(help="Reset the password of the operator with this e-mail address."),
]
Url = Annotated[
    str | None,
    typer.Option(
        envvar="TACHO_PUBLIC_URL", help="Address under which people reach Tacho. Begins the link."
    ),
]


def run(email: Email = None, url: Url = None) -> None:
    """Print a one-time link with which the first operator creates an account.

    With --email, print a link that resets the password of an operator. Both work for 24 hours.
    """
    settings = read_settings()

    def create(session: Session) -> NewLink:
        if email is None:
            return create_first_operator_link(session)
        return create_operator_reset_link(session, email)

    try:
        created = _create(find_database(settings), create)
    except TachoError as error:
        fail(error.detail)
    print(_write_link(settings, created, url))


def invite_first_operator(
    settings: Settings, database_url: str, trust_loopback: bool | None
) -> str | None:
    """Return a text with a link for the first operator, to print at the start of Tacho.

    Returns None if there are users, or if people on this machine need not sign in.

    Raises:
        PlatformError: the database does not answer.
        SchemaMismatch: the schema of the database is of another version.
    """
    if trusts_loopback(
        settings.host,
        trust_loopback,
        has_token=bool(settings.token),
        has_proxy=is_proxied(settings.public_url, settings.trusted_proxies),
    ):
        return None
    try:
        created = _create(database_url, create_first_operator_link)
    except Conflict:
        return None
    return (
        "Nobody has an account yet. Create the account of the first operator with this link, which "
        f"works once, until {created.expires_at:%d %B %Y %H:%M} UTC:\n"
        f"{_write_link(settings, created)}"
    )


def _write_link(settings: Settings, created: NewLink, url: str | None = None) -> str:
    """Return the address of a one-time link."""
    origin = url or settings.public_url or public_url(settings.host, settings.port)
    return f"{origin.rstrip('/')}{join_page(created.key)}"


def _create(database_url: str, create: Callable[[Session], NewLink]) -> NewLink:
    engine = make_engine(database_url)
    try:
        with Session(engine) as session, session.begin():
            check_schema(session)
            return create(session)
    except OperationalError as error:
        reason = str(error.orig).splitlines()[0]
        raise PlatformError(f"The database stopped answering: {reason}. Try again.") from error
    finally:
        engine.dispose()
