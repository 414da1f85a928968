"""Log lines have the ids of what their thread or process works on."""

import logging
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

from backend.core.log_context import (
    AddLogFields,
    current_log_fields,
    log_fields,
    process_log_fields,
    set_log_fields,
)


def test_fields_of_nested_work_are_joined_and_removed() -> None:
    with log_fields(run_id="a"), log_fields(trial_id="b"):
        assert current_log_fields() == {"run_id": "a", "trial_id": "b"}

    assert current_log_fields() == {}


def test_fields_of_one_thread_do_not_reach_another() -> None:
    with ThreadPoolExecutor(1) as pool, log_fields(run_id="a"):
        assert pool.submit(current_log_fields).result() == {}


def test_fields_of_the_process_reach_every_thread() -> None:
    with ThreadPoolExecutor(1) as pool, process_log_fields(trial_id="b"):
        assert pool.submit(current_log_fields).result() == {"trial_id": "b"}

    assert current_log_fields() == {}


def test_fields_are_read_when_a_line_is_written() -> None:
    found = {"request_id": "a"}

    def write() -> dict[str, str]:
        set_log_fields(lambda: found)
        found["run_id"] = "b"
        return current_log_fields()

    assert copy_context().run(write) == {"request_id": "a", "run_id": "b"}


def test_a_record_keeps_a_field_that_it_has() -> None:
    record = logging.makeLogRecord({"run_id": "own"})
    with log_fields(run_id="a", trial_id="b"):
        assert AddLogFields().filter(record)

    assert (record.__dict__["run_id"], record.__dict__["trial_id"]) == ("own", "b")
