"""Access logs are found in the formats that frameworks use; logged errors are not."""

import pytest

from worker.verify.trial import find_access_log

LINES = {
    "uvicorn": 'INFO:     127.0.0.1:4711 - "GET /hello?nonce=00ab HTTP/1.1" 200 OK',
    "common": '127.0.0.1 - - [28/Nov/2026:10:00:00 +0000] "POST /articles HTTP/1.1" 200 12 1',
    "morgan": "GET /hello?nonce=00ab 200 0.412 ms - 12",
    "json": '{"level":30,"reqId":"req-1","req":{"method":"GET","url":"/hello?nonce=00ab"}}',
}
ERRORS = [
    'Resolved [HttpMessageNotReadableException: JSON parse error: Unexpected character ("G")]',
    "\tat tacho.ServiceController.getHello(ServiceController.java:31)",
    'Get "http://127.0.0.1:9000/?nonce=00ab": EOF',
]


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_line_for_each_request(line: str) -> None:
    log = "\n".join(["Started in 0.4 s", *[line] * 120])

    assert find_access_log("service", log, 120) == (
        "Service wrote 120 lines about requests to its log during 120 requests. "
        "Switch its access log off."
    )


def test_logged_errors_are_not_an_access_log() -> None:
    failed = ['ERROR GET "/?nonce=00ab" failed'] * 50

    assert find_access_log("service", "\n".join([*ERRORS * 100, *failed]), 18) is None
    assert find_access_log("service", "\n".join([*ERRORS * 100, *failed]), 120) is None
    assert find_access_log("service", "", 0) is None
