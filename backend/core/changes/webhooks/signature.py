"""Signatures according to the Standard Webhooks specification, version 1.0 (standardwebhooks.com).

Receivers can verify them with that project's libraries or any HMAC-SHA256.
"""

import secrets
from base64 import b64decode, b64encode
from datetime import datetime
from hashlib import sha256
from hmac import digest

_PREFIX = "whsec_"
# The specification allows 24 to 64 bytes.
_SECRET_BYTES = 32


def new_secret() -> str:
    """Return a new signing secret in the form that receivers configure: `whsec_` and base64."""
    return _PREFIX + b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def sign(secret: str, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """Return the headers of one attempt; `at` is its time, so that old replays can be rejected.

    `webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
    """
    timestamp = str(int(at.timestamp()))
    signed = b".".join([message_id.encode(), timestamp.encode(), body])
    mac = digest(b64decode(secret.removeprefix(_PREFIX)), signed, sha256)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{b64encode(mac).decode()}",
    }
