"""The end of a program in words, from the exit codes of Python, shells and engines."""

import pytest

from worker.runtime.exit import Exit


@pytest.mark.parametrize(
    ("code", "is_out_of_memory", "words"),
    [
        (0, False, "ended with exit code 0"),
        (128, False, "ended with exit code 128"),
        (255, False, "ended with exit code 255"),
        (-9, False, "was killed by SIGKILL (possibly out of memory)"),
        (137, False, "was killed by SIGKILL (possibly out of memory)"),
        (137, True, "ran out of memory and was killed"),
        (-15, False, "was killed by SIGTERM"),
        (143, False, "was killed by SIGTERM"),
    ],
)
def test_an_exit_is_described_in_words(code: int, is_out_of_memory: bool, words: str) -> None:
    assert Exit.from_code(code, is_out_of_memory=is_out_of_memory).describe() == words
