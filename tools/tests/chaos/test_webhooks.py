"""Lost, repeated and changed messages of webhooks are distinguished."""

from dataclasses import replace

from tools.benchmarks.receiver import Message
from tools.chaos.webhooks import check_messages

_FIRST = Message("delivery-1", {"data": {"run": {"id": "run-1"}}}, None)
_SECOND = Message("delivery-2", {"data": {"run": {"id": "run-2"}}}, None)


def test_each_run_has_a_message_which_may_be_repeated() -> None:
    assert check_messages(["run-1", "run-2"], [_FIRST, _SECOND, _FIRST]) == []


def test_a_lost_message_is_found() -> None:
    assert check_messages(["run-1", "run-2"], [_FIRST]) == ["no webhook about run run-2"]


def test_a_repetition_that_a_receiver_cannot_detect_is_found() -> None:
    other_id = replace(_FIRST, id="delivery-3")
    other_body = replace(_FIRST, body={"data": {"run": {"id": "run-1", "status": "failed"}}})

    assert check_messages(["run-1"], [_FIRST, other_id]) == ["webhooks about run run-1 have 2 ids"]
    assert check_messages(["run-1"], [_FIRST, other_body]) == [
        "webhook delivery-1 was repeated with another body"
    ]


def test_a_message_with_a_wrong_signature_is_found() -> None:
    forged = replace(_FIRST, problem="no signature matches this body and secret")

    assert "no signature matches" in check_messages(["run-1"], [forged])[0]
