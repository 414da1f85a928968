"""Each trial runs exactly once, even if its wake-up message is lost or duplicated."""

import redis

from backend.core.queue import WORK_TASK, host_queue, make_celery
from tools.benchmarks.api import Document, describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.test_trials import check_series


def check_ran_once(stack: Stack, run: Document) -> None:
    """Assert that the run succeeded, with one attempt and all seconds for each trial."""
    ended = stack.api.await_run(run, 120)
    assert ended["status"] == "succeeded", describe(ended)
    assert [trial["attempt"] for trial in ended["trials"]] == [1] * len(ended["trials"])
    for trial in ended["trials"]:
        check_series(stack.api, trial)


def test_a_duplicated_message_runs_a_trial_once(stack: Stack) -> None:
    run = stack.create_run([cell("go-nethttp")], trials=2)
    host = stack.settings.bench_host
    with make_celery(stack.redis_url) as celery:
        for _ in range(5):
            celery.send_task(WORK_TASK, args=[host], queue=host_queue(host))

    check_ran_once(stack, run)


def test_redis_loses_everything(stack: Stack) -> None:
    run = stack.create_run([cell("go-nethttp")], trials=2)
    stack.api.await_stage(run, frozenset({"measuring"}), 60)
    with redis.Redis.from_url(stack.redis_url) as client:
        client.flushall()

    check_ran_once(stack, run)


def test_redis_is_away_for_a_while(stack: Stack) -> None:
    """Redis is away when the first trial ends, so the wake-up message for the second is lost."""
    run = stack.create_run([cell("go-nethttp")], trials=2)
    stack.api.await_stage(run, frozenset({"measuring"}), 60)
    stack.stop("broker")
    stack.api.await_stage(run, frozenset({"succeeded"}), 60)
    stack.start_redis()

    check_ran_once(stack, run)
