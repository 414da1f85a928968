"""Signatures equal those of the Standard Webhooks libraries."""

from datetime import UTC, datetime

from backend.core.changes.webhooks.signature import new_secret, sign


def test_the_signature_equals_that_of_the_reference_libraries() -> None:
    """The example in the tests of the specification's own libraries."""
    headers = sign(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        datetime.fromtimestamp(1614265330, UTC),
        b'{"test": 2432232314}',
    )

    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_secrets_differ_and_are_long_enough() -> None:
    secrets = {new_secret() for _ in range(5)}

    assert len(secrets) == 5
    assert all(secret.startswith("whsec_") and len(secret) == 50 for secret in secrets)
