"""Send links that reset passwords, after the response, so that its time reveals no accounts."""

import logging

from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError

from backend.addresses import join_page
from backend.api.process.resources import AppResources
from backend.core.config import Settings
from backend.core.errors import TachoError
from backend.core.people.access.actor import Actor
from backend.core.people.accounts import links
from backend.core.people.audit.recording import set_actor
from backend.platform.mail import send_mail

logger = logging.getLogger(__name__)

SUBJECT = "Set a new password for Tacho"
_TEXT = """Someone requested a new password for your account at {origin}.

Open this link within {hours} hours to set one:

{origin}{page}

If it was not you, ignore this message. Your password stays as it is.
"""


async def send_reset_link(
    resources: AppResources, settings: Settings, email: str, actor: Actor
) -> None:
    """Send a reset link to an enabled user with this e-mail address, if there is one.

    Errors are logged, because the response was sent before.
    """
    try:
        if not await resources.rates.allow_reset(email):
            logger.info("too many reset links were requested for one account; none is sent")
            return
        async with resources.database.open_session(read_only=False) as session:
            set_actor(session, actor)
            created = await run_in_threadpool(links.create_mailed_reset_link, session, email)
        if created is None:
            return
        text = _TEXT.format(
            origin=settings.public_url,
            page=join_page(created.key),
            hours=int(links.RESET_LIFETIME.total_seconds() // 3600),
        )
        await run_in_threadpool(
            send_mail, settings.smtp_url, settings.mail_from, email.lower(), SUBJECT, text
        )
    except (TachoError, SQLAlchemyError) as error:
        logger.warning("A reset link was not sent: %s", error)
