"""Sign-ins that people have started at the identity provider. Redis keeps them for ten minutes.

A flow is found by its `state`, works once, and belongs to the browser that started it. If Redis
loses it, the person starts again.
"""

import json
import secrets
from dataclasses import asdict, dataclass

from backend.core.people.access.keys import hash_key
from backend.core.queue import get_redis

LIFETIME_SECONDS = 600


@dataclass(frozen=True)
class SignInFlow:
    """A started sign-in: the values that are needed when the person comes back.

    Attributes:
        browser_hash: hash of the key in a cookie of the browser that started the flow.
        return_path: the page to show afterwards.
        link_hash: hash of the key of an invitation that the person accepts.
    """

    nonce: str
    code_verifier: str
    browser_hash: str
    return_path: str
    link_hash: str | None


def store_flow(state: str, flow: SignInFlow) -> None:
    """Store a flow. Raises redis.RedisError."""
    get_redis().set(_name_key(state), json.dumps(asdict(flow)), ex=LIFETIME_SECONDS)


def take_flow(state: str, browser_key: str) -> SignInFlow | None:
    """Return and delete the flow of a state; None if there is none, or another browser's.

    Raises:
        redis.RedisError.
    """
    found = get_redis().getdel(_name_key(state))
    if not isinstance(found, bytes):
        return None
    flow = SignInFlow(**json.loads(found))
    is_own = secrets.compare_digest(flow.browser_hash, hash_key(browser_key))
    return flow if is_own else None


def _name_key(state: str) -> str:
    return f"tacho:sign-in:{hash_key(state)}"
