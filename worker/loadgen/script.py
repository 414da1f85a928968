"""Explains why the load of a k6 script that sends it itself has no result."""

import re
from collections.abc import Mapping

from backend.core.errors import LoadFailed
from backend.core.units import FailureCause
from worker.loadgen.command import THRESHOLD_FAILED, explain_exit
from worker.loadgen.parse import EndLine
from worker.runtime.exit import Exit

_SHOWN_ERRORS = 3
_SHOWN_CHARACTERS = 600
# k6 writes a log line as `time="…" level=error msg="…"`, with the escapes of Go.
_ERROR = re.compile(r'level=(?:error|fatal) msg=(?:"((?:[^"\\]|\\.)*)"|(\S+))')
_ESCAPES = {"n": "\n", "t": "  ", '"': '"', "\\": "\\"}
# Ends that no script causes.
_OF_K6 = frozenset({105, 106, 109})
_TRY = (
    "Fix the script. Run it with `k6 run -e BASE_URL=http://localhost:8080 {name}` to see the same "
    "error."
)
_REMOTE = "couldn't be retrieved from the resolved url"
_SAVE = (
    "A trial does not reach the Internet. Save the module next to the script, and import it from "
    "there."
)


class ScriptFailed(LoadFailed):
    """A k6 script ended with an error, sent no request, or was too short."""

    code = "script_failed"
    title = "The k6 script failed"
    cause = FailureCause.USER


def is_good_end(end: Exit) -> bool:
    """Return whether a script ran to its end.

    A threshold that failed is a result of the script and not a failure of the load.
    """
    return end.is_success or end.code == THRESHOLD_FAILED


def find_fault(end: Exit, stderr: str, name: str) -> ScriptFailed | None:
    """Return the failure of a script that has a fault; None if it ended for another reason.

    Args:
        stderr: what k6 wrote there.
        name: of the script.
    """
    if is_good_end(end) or end.is_killed or end.is_out_of_memory or end.code in _OF_K6:
        return None
    advice = _SAVE if _REMOTE in stderr else _TRY.format(name=name)
    return ScriptFailed(
        f"The k6 script {name} {explain_exit(end)}.{_show_errors(stderr)}\n{advice}"
    )


def explain_missing_seconds(
    end: EndLine, seconds: int, parameters: Mapping[str, int], stderr: str, name: str
) -> ScriptFailed:
    """Return the failure of a script that ended before all seconds were measured.

    Args:
        seconds: how many the load generator reported.
        parameters: of the load.
        stderr, name: as for `find_fault`.
    """
    errors = _show_errors(stderr)
    if not end.requests:
        return ScriptFailed(
            f"The k6 script {name} sent no HTTP request. Tacho measures the requests that the "
            "scenarios of a script send with k6/http; those of setup() and teardown() do not "
            f"count.{errors}\nLet the script send its requests to __ENV.BASE_URL."
        )
    warm_up, measured = parameters["warm_up_seconds"], parameters["duration_seconds"]
    return ScriptFailed(
        f"The script ended after {seconds} s, but Tacho needs {warm_up + measured} s: "
        f"{warm_up} s of warm-up and {measured} s to measure. Make its scenarios longer, or "
        f"shorten warm_up_seconds or duration_seconds.{errors}"
    )


def _show_errors(stderr: str) -> str:
    """Return the first errors in k6's log, to follow a sentence; empty without errors."""
    found = [_unescape(match[1] or match[2] or "") for match in _ERROR.finditer(stderr)]
    different = list(dict.fromkeys(found))[:_SHOWN_ERRORS]
    if not different:
        return ""
    shown = "\n".join(text[:_SHOWN_CHARACTERS] for text in different)
    return f" Its first errors:\n{shown}"


def _unescape(text: str) -> str:
    """Return a message of a log line as k6 logged it, without blank lines at its end."""
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), text).rstrip()
