"""`host.synchronize_credentials`: keeps the users of bench hosts in PostgreSQL and Redis equal.

It also revokes the hosts that leave, when their current trials have ended.
"""

import logging

import redis

from backend.core.bench_hosts.credentials import synchronize
from backend.core.db import unit_of_work
from backend.core.host_lifecycle.service import revoke_leaving_hosts
from backend.core.queue import CREDENTIALS_TASK
from worker.dispatcher import app

_log = logging.getLogger(__name__)


@app.task(name=CREDENTIALS_TASK)
def synchronize_credentials() -> None:
    """Revoke hosts that leave, create users that Redis has lost, and drop revoked users.

    Runs periodically.
    """
    with unit_of_work() as session:
        left = revoke_leaving_hosts(session)
    if left:
        _log.info("bench hosts left after their last trials: %s", ", ".join(left))
    try:
        with unit_of_work() as session:
            synchronize(session)
    except redis.RedisError as error:
        _log.warning("Redis did not update the users of bench hosts: %s", error)
