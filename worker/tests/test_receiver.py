"""The receiver that `make bench-changes` listens with believes what the specification says."""

import pytest

from worker.benchmarks.receiver import verify

# The example that the specification's own libraries are tested with.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'
AT = 1614265330
HEADERS = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": str(AT),
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


def test_a_message_as_the_specification_signs_it_is_believed() -> None:
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
def test_any_other_is_not(headers: dict[str, str], body: bytes, now: int, problem: str) -> None:
    assert problem in (verify(SECRET, headers, body, now) or "believed")
