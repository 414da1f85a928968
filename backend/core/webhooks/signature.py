"""Signatures after the Standard Webhooks specification, version 1.0 (standardwebhooks.com).

Receivers verify with that project's libraries, or with any HMAC-SHA256.
"""

import secrets
from base64 import b64decode, b64encode
from datetime import datetime
from hashlib import sha256
from hmac import digest

_PREFIX = "whsec_"
# The specification allows 24 to 64.
_SECRET_BYTES = 32


def new_secret() -> str:
    """A fresh signing secret as receivers configure it: `whsec_` and base64."""
    return _PREFIX + b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def sign(secret: str, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The three headers of one attempt; `at` is the attempt's own time, so a replay grows old.

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
