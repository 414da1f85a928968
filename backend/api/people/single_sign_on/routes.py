"""/session/oidc: sign in at the OpenID Connect provider of this installation."""

import logging
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse
from redis import RedisError

from backend.api.access.cookie import is_https, set_cookie
from backend.api.access.signing_in import check_own_page, read_browser
from backend.api.deps import CallerDep, ResourcesDep, Sending, SettingsDep, identify_caller, needs
from backend.api.http.problems import problems
from backend.api.http.router import API_PREFIX, NounRouter
from backend.api.people.single_sign_on.provider import Provider, get_provider
from backend.api.people.single_sign_on.schemas import SignInAddress, SignInStart
from backend.core.config import Settings
from backend.core.errors import Conflict, Unavailable
from backend.core.people.access.keys import hash_key, make_key
from backend.core.people.access.permissions import Permission
from backend.core.people.accounts import identities
from backend.core.people.accounts.identities import SignInFlow, SignInRefusal, SignInRefused
from backend.core.people.audit.recording import set_actor

logger = logging.getLogger(__name__)

PATH = "/session/oidc"
CALLBACK_PATH = f"{PATH}/callback"
# Ties a flow to the browser that started it: nobody can sign another person in as themselves.
FLOW_COOKIE = "tacho_sign_in"

router = NounRouter(prefix=PATH, tags=["session"], dependencies=[needs(Permission.OPEN)])

# The provider chooses the length of a code. Servers of HTTP refuse addresses above 64 KB, and an
# encoded character can take 12 bytes.
Code = Annotated[str, Query(max_length=4_000)]
ShortParameter = Annotated[str, Query(max_length=200)]


# Each start stores a flow, so starts count as requests of the caller.
@router.post(
    "",
    dependencies=[Depends(identify_caller), Sending],
    responses=problems(401, 409, 413, 422),
)
async def start_single_sign_on(
    request: Request, response: Response, settings: SettingsDep, body: SignInStart
) -> SignInAddress:
    """Start to sign in at the provider of this installation, and return the address to open.

    The response sets an HttpOnly cookie. Only the same browser can finish within 10 minutes.
    """
    check_own_page(request)
    provider = _get_provider(settings)
    try:
        made = await provider.authorize(_get_redirect_url(settings))
        browser_key = make_key()
        flow = SignInFlow(
            nonce=made.nonce,
            code_verifier=made.code_verifier,
            browser_hash=hash_key(browser_key),
            return_path=body.to,
            link_hash=None if body.link_key is None else hash_key(body.link_key),
        )
        await run_in_threadpool(identities.store_flow, made.state, flow)
    except SignInRefused as refused:
        raise Unavailable(
            f"The provider of {settings.oidc_name} does not answer as expected. Try again in a "
            "moment. The log of the API has the reason, for the operator."
        ) from refused
    except RedisError as error:
        raise Unavailable("Redis does not answer. Try again in a moment.") from error
    response.set_cookie(
        FLOW_COOKIE,
        browser_key,
        max_age=identities.LIFETIME_SECONDS,
        path=request.url.path,
        httponly=True,
        samesite="lax",
        secure=is_https(request),
    )
    return SignInAddress(url=made.url)


@router.get(
    "/callback",
    status_code=HTTPStatus.SEE_OTHER,
    response_class=RedirectResponse,
    responses=problems(409, 422)
    | {303: {"description": "To the page that the person came from, or to sign in."}},
)
async def finish_single_sign_on(
    request: Request,
    settings: SettingsDep,
    caller: CallerDep,
    resources: ResourcesDep,
    state: ShortParameter = "",
    code: Code = "",
    error: ShortParameter = "",
) -> RedirectResponse:
    """Sign in the person whom the provider sends back, and open the page that the person wanted.

    After a failure, the page to sign in explains the parameter `refused`.
    """
    flow = None
    try:
        flow = await _take_flow(request, state)
        provider = _get_provider(settings)
        _check_accepted(error)
        claims = await provider.exchange(
            code, _get_redirect_url(settings), flow.code_verifier, flow.nonce
        )
        async with resources.database.open_session(read_only=False) as session:
            set_actor(session, caller.actor)
            key = await run_in_threadpool(
                identities.sign_in, session, claims, flow.link_hash, read_browser(request)
            )
    except SignInRefused as refused:
        return _redirect(request, _describe_refusal(refused.reason, flow))
    response = _redirect(request, flow.return_path)
    set_cookie(request, response, key)
    return response


def _get_provider(settings: Settings) -> Provider:
    if not settings.oidc_issuer:
        raise Conflict(
            "This installation has no single sign-on. Sign in with an e-mail address and a "
            "password, or ask the operator to set TACHO_OIDC_ISSUER."
        )
    secret = settings.oidc_client_secret.get_secret_value()
    return get_provider(settings.oidc_issuer, settings.oidc_client_id, secret)


def _get_redirect_url(settings: Settings) -> str:
    return f"{settings.public_url}{API_PREFIX}{CALLBACK_PATH}"


async def _take_flow(request: Request, state: str) -> SignInFlow:
    browser_key = request.cookies.get(FLOW_COOKIE, "")
    try:
        flow = await run_in_threadpool(identities.take_flow, state, browser_key)
    except RedisError as error:
        raise Unavailable("Redis does not answer. Try again in a moment.") from error
    if flow is None:
        raise SignInRefused(SignInRefusal.NOT_STARTED)
    return flow


def _check_accepted(error: str) -> None:
    """Raise SignInRefused if the provider sent the person back with an error."""
    if error:
        logger.info("The provider ended a sign-in: %.100r", error)
        raise SignInRefused(SignInRefusal.PROVIDER_REFUSED)


def _describe_refusal(reason: SignInRefusal, flow: SignInFlow | None) -> str:
    """Return the path of the page that explains a refusal, and that returns to the same page."""
    search = {"refused": str(reason)}
    if flow is not None and flow.return_path != "/":
        search["to"] = flow.return_path
    return f"/sign-in?{urlencode(search)}"


def _redirect(request: Request, path: str) -> RedirectResponse:
    response = RedirectResponse(path, HTTPStatus.SEE_OTHER)
    response.delete_cookie(
        FLOW_COOKIE,
        path=request.url.path.removesuffix("/callback"),
        httponly=True,
        samesite="lax",
        secure=is_https(request),
    )
    return response
