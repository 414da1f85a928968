"""/links: one-time links for the first operator, for invitations, and to reset a password.

Their keys are in bodies only, so that no log of requests contains them.
"""

import logging
from datetime import datetime
from typing import Literal

from fastapi import BackgroundTasks, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field
from sqlalchemy.exc import SQLAlchemyError

from backend.addresses import join_page
from backend.api.access.caller import Proof, find_address
from backend.api.access.signing_in import check_own_page, read_browser
from backend.api.deps import CallerDep, ResourcesDep, SessionDep, SettingsDep, SigningIn, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.people.sessions import SessionOut, respond_signed_in
from backend.api.process.resources import AppResources
from backend.api.schemas import Email, PersonName, RequestBody
from backend.core.bodies import Schema
from backend.core.config import Settings
from backend.core.errors import Conflict, TachoError
from backend.core.people.access.actor import Actor
from backend.core.people.access.permissions import Permission
from backend.core.people.accounts import links
from backend.core.people.accounts.links import LinkAnswer
from backend.core.people.accounts.passwords import LONGEST
from backend.core.people.audit.recording import set_actor
from backend.core.statuses import LinkPurpose, Role
from backend.platform.mail import send_mail

logger = logging.getLogger(__name__)

SUBJECT = "Set a new password for Tacho"
_TEXT = """Someone requested a new password for your account at {origin}.

Open this link within {hours} hours to set one:

{origin}{page}

If it was not you, ignore this message. Your password stays as it is.
"""


async def mail_reset_link(
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


class LinkKey(RequestBody):
    key: str = Field(
        min_length=1,
        max_length=200,
        examples=["hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
        description="The part of the link after `#`.",
    )


class LinkUse(LinkKey):
    name: PersonName | None = Field(None, description="Required for a new account.")
    email: Email | None = Field(
        None, description="Required for a new account, unless the link names the address."
    )
    password: str | None = Field(
        None,
        min_length=1,
        max_length=LONGEST,
        examples=["correct horse battery"],
        description="The new password, or that of your account. Not needed to accept an invitation"
        " in a browser that is signed in.",
    )


class ResetRequest(RequestBody):
    email: Email


class LinkOut(Schema):
    """The purpose of a one-time link, and the person whom it names."""

    purpose: Literal[LinkPurpose.FIRST_OPERATOR, LinkPurpose.INVITATION, LinkPurpose.PASSWORD_RESET]
    email: str | None = Field(description="The only person who may use it, if it names one.")
    workspace: str | None = Field(
        examples=["Main"], description="Name of the workspace of an invitation."
    )
    role: Role | None = Field(description="Role that an invitation gives.")
    expires_at: datetime
    has_account: bool = Field(description="Whether the person whom the link names has an account.")


router = NounRouter(prefix="/links", tags=["links"], dependencies=[needs(Permission.OPEN)])


@router.post("/read", responses=problems(404, 413, 422))
def read_link(session: SessionDep, body: LinkKey) -> LinkOut:
    """Return what a one-time link is for. 404 if it is unknown, used or expired."""
    link = links.read_link(session, body.key)
    return LinkOut.of(
        link,
        workspace=link.workspace and link.workspace.name,
        has_account=links.has_account(session, link),
    )


@router.post("/reset", status_code=204, responses=problems(401, 409, 413, 422))
async def send_reset_link(
    request: Request,
    settings: SettingsDep,
    caller: CallerDep,
    resources: ResourcesDep,
    body: ResetRequest,
    later: BackgroundTasks,
) -> None:
    """Send a link that sets a new password to an e-mail address, if a user has it.

    The response is the same for every address.
    """
    check_own_page(request)
    if not settings.smtp_url:
        raise Conflict(
            "This installation sends no e-mail. Ask an operator for a link that sets a new "
            "password."
        )
    await resources.rates.count_reset(find_address(request))
    later.add_task(mail_reset_link, resources, settings, body.email, caller.actor)


@router.post("/use", dependencies=[SigningIn], responses=problems(401, 404, 409, 413, 422))
def use_link(
    request: Request,
    response: Response,
    session: SessionDep,
    settings: SettingsDep,
    caller: CallerDep,
    resources: ResourcesDep,
    body: LinkUse,
) -> SessionOut:
    """Use a one-time link, and sign in.

    An invitation makes you a member: with a new account, with the account that you are signed in
    with, or with the account of the e-mail address and its password. A reset link sets a new
    password and ends all sessions of the user.
    """
    check_own_page(request)
    signed_in = caller.person if caller.proof is Proof.SESSION else None
    browser = read_browser(request)
    with resources.rates.guard_sign_in(browser.address, body.email):
        key = links.use_link(
            session,
            body.key,
            LinkAnswer(password=body.password, email=body.email, name=body.name),
            browser,
            None if signed_in is None else signed_in.id,
        )
    return respond_signed_in(request, response, session, settings, key)
