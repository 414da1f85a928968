"""Messages in a real Redis are deleted and copied."""

from backend.core.queue import REQUESTS, host_queue, open_redis
from tools.chaos.messages import Messages

_HOST = "chaos-test"


def test_all_messages_are_repeated_and_lost(redis_url: str) -> None:
    messages = Messages(_HOST, lambda: redis_url)
    with open_redis(redis_url) as redis:
        redis.lpush(host_queue(_HOST), "work")
        redis.lpush(REQUESTS, "first", "second")

        assert messages.repeat(2) == 6
        assert redis.lrange(host_queue(_HOST), 0, -1) == [b"work"] * 3
        assert redis.llen(REQUESTS) == 6

        assert messages.lose() == 9
        assert redis.exists(host_queue(_HOST), REQUESTS) == 0
        assert messages.lose() == 0
