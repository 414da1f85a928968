"""`host.synchronize_credentials`: keeps the users of bench hosts in PostgreSQL and Redis equal.

It also revokes the hosts that leave, when their current trials have ended, and ends transactions of
hosts that block others.
"""

import logging

import redis

from backend.core.bench_hosts.credentials import synchronize
from backend.core.bench_hosts.repository import end_long_transactions
from backend.core.db import unit_of_work
from backend.core.host_lifecycle.service import revoke_leaving_hosts
from backend.core.queue import CREDENTIALS_TASK
from worker.dispatcher import app

_log = logging.getLogger(__name__)
# Workers need some seconds, and up to 60 s while the network fails.
_LONGEST_TRANSACTION_S = 120


@app.task(name=CREDENTIALS_TASK)
def synchronize_credentials() -> None:
    """Revoke hosts that leave, create users that Redis has lost, and drop revoked users.

    Transactions of hosts that take too long are ended, because they keep their locks until then.

    Runs periodically.
    """
    with unit_of_work() as session:
        left = revoke_leaving_hosts(session)
    if left:
        _log.info("bench hosts left after their last trials: %s", ", ".join(left))
    with unit_of_work() as session:
        ended = end_long_transactions(session, _LONGEST_TRANSACTION_S)
    if ended:
        _log.warning(
            "connections of bench hosts were ended after %d s in a transaction: %d",
            _LONGEST_TRANSACTION_S,
            ended,
        )
    try:
        with unit_of_work() as session:
            synchronize(session)
    except redis.RedisError as error:
        _log.warning("Redis did not update the users of bench hosts: %s", error)
