"""Log lines have the ids of what their thread or process works on."""

from concurrent.futures import ThreadPoolExecutor

from backend.core.log_context import (
    current_log_fields,
    log_fields,
    process_log_fields,
)


def test_fields_of_one_thread_do_not_reach_another() -> None:
    with ThreadPoolExecutor(1) as pool, log_fields(run_id="a"):
        assert pool.submit(current_log_fields).result() == {}


def test_fields_of_the_process_reach_every_thread() -> None:
    with ThreadPoolExecutor(1) as pool, process_log_fields(trial_id="b"):
        assert pool.submit(current_log_fields).result() == {"trial_id": "b"}

    assert current_log_fields() == {}
