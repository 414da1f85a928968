"""Command lines and exit codes."""

from worker.loadgen.command import (
    explain_exit,
    load_command,
    load_environment,
    ready_command,
    script_command,
    script_environment,
)
from worker.runtime.exit import Exit


def test_k6_counts_by_itself_only_on_request() -> None:
    assert "--no-thresholds" in load_command("k6", "load.js")
    assert "--no-thresholds" not in load_command("k6", "load.js", is_summarised=True)


def test_a_script_keeps_its_thresholds_and_gets_its_target() -> None:
    assert "--no-thresholds" not in script_command("k6", "script/main.js")
    assert script_command("k6", "script/main.js")[-3:] == ["--out", "tacho", "script/main.js"]
    assert script_environment("http://127.0.0.1:8080", 40, range(20, 35)) == {
        "BASE_URL": "http://127.0.0.1:8080",
        "TACHO_SCRIPT_SECONDS": "40",
        "TACHO_SCRIPT_WINDOW": "20:35",
    }


def test_ready_requests_a_first_response_only_with_a_url() -> None:
    assert ready_command("k6", "http://a/health", timeout_s=1.5) == [
        *("k6", "ready", "--url", "http://a/health", "--timeout", "1500ms")
    ]


def test_the_heap_stays_below_the_memory_given() -> None:
    assert load_environment(cpus=2, memory_bytes=1000)["GOMEMLIMIT"] == "900"


def test_sending_leaves_a_processor_of_go_for_other_work() -> None:
    assert load_environment(cpus=1, memory_bytes=1000)["GOMAXPROCS"] == "2"
    assert load_environment(cpus=3, memory_bytes=1000)["GOMAXPROCS"] == "4"


def test_exit_codes_have_descriptions() -> None:
    assert explain_exit(Exit.from_code(107)) == (
        "ended with exit code 107: the script raised an exception"
    )
    assert explain_exit(Exit.from_code(-9)) == "was killed by SIGKILL (possibly out of memory)"
