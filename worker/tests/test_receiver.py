"""The receiver of `make chaos` verifies signatures as the specification requires."""

import pytest

from tools.benchmarks.receiver import verify

# The example with which the specification's own libraries are tested.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'
AT = 1614265330
HEADERS = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": str(AT),
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


def test_a_message_signed_as_specified_is_accepted() -> None:
    assert verify(SECRET, HEADERS, BODY, AT + 5) is None
    rotated = HEADERS | {"webhook-signature": f"v1,b2xk {HEADERS['webhook-signature']}"}
    assert verify(SECRET, rotated, BODY, AT) is None


@pytest.mark.parametrize(
    ("headers", "body", "now", "problem"),
    [
        (HEADERS, BODY + b" ", AT, "no signature"),
        (HEADERS | {"webhook-id": "msg_other"}, BODY, AT, "no signature"),
        (HEADERS | {"webhook-signature": ""}, BODY, AT, "no signature"),
        (HEADERS, BODY, AT + 301, "too far"),
        (HEADERS | {"webhook-timestamp": "soon"}, BODY, AT, "missing"),
    ],
)
def test_any_other_message_is_rejected(
    headers: dict[str, str], body: bytes, now: int, problem: str
) -> None:
    assert problem in (verify(SECRET, headers, body, now) or "believed")
