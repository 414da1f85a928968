"""Run every command of the operator's guide: `python -m backend.tests.guide.run [PAGE…]`.

The commands run against a Tacho of their own, in a clone of the last commit, page by page. Commands
of `plan.toml` that other steps of CI run, or none, are left out.
"""

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from backend.tests.guide.commands import Command, list_commands, read_page
from backend.tests.guide.installation import GuideFault, Installation
from backend.tests.guide.plan import Plan, RunEntry, find_gaps, read_pages, read_plan
from backend.tests.guide.preparations import Preparations


def main() -> None:
    """Run the commands, and end with 1 if one of them does not work."""
    plan = read_plan()
    if gaps := find_gaps(plan, read_pages()):
        sys.exit("\n".join(gaps))
    # Stops Tacho also if CI ends this process.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    # Every page needs the Tacho that the first page starts.
    pages = tuple(dict.fromkeys([plan.pages[0], *(sys.argv[1:] or plan.pages)]))
    scratch = Path(tempfile.mkdtemp(prefix="tacho-guide-"))
    # The user of PostgreSQL reaches its folders below this one.
    scratch.chmod(0o711)
    try:
        count = _run_guide(plan, pages, scratch)
    finally:
        shutil.rmtree(scratch)
    print(f"{count} commands of the operator's guide work.")


def _run_guide(plan: Plan, pages: Sequence[str], scratch: Path) -> int:
    """Run the commands of the pages, and return their number."""
    installation = Installation(scratch)
    installation.clone_repository()
    preparations = Preparations(installation)
    count = 0
    try:
        for name in pages:
            preparations.shell = installation.open_shell()
            folder = installation.clone / "docs/operator-guide"
            for command in list_commands(name, read_page(name, folder)):
                if plan.is_run_here(command):
                    _run_command(plan, command, preparations)
                    count += 1
    finally:
        preparations.close()
    left = subprocess.run(
        ["pgrep", "-af", str(scratch)], capture_output=True, text=True, check=False
    )
    if left.stdout:
        sys.exit(f"left behind by Tacho:\n{left.stdout}")
    return count


def _run_command(plan: Plan, command: Command, preparations: Preparations) -> None:
    """Run a command, print its time, and check what it prints. Exit if it does not work."""
    place = f"{command.page}:{command.line}"
    begin = time.monotonic()
    entry = plan.find_entry(command)
    try:
        if entry.prepare:
            getattr(preparations, entry.prepare)()
        text = _fill_in(plan, command.text, preparations)
        preparations.output = _execute(command, text, entry, preparations)
        _check_output(entry, preparations)
        if entry.check:
            getattr(preparations, entry.check)()
    except GuideFault as fault:
        logs = preparations.installation.read_logs()
        sys.exit(f"{logs}\n\n{place}: FAILED: {command.name}\n{fault}")
    print(f"{time.monotonic() - begin:6.1f} s  {place}  {command.name}", flush=True)


def _fill_in(plan: Plan, text: str, preparations: Preparations) -> str:
    """Return a command with values in place of its placeholders."""
    for placeholder, name in plan.placeholders.items():
        if placeholder in text:
            if name not in preparations.values:
                raise GuideFault(f"There is no value yet for {placeholder!r}.")
            text = text.replace(placeholder, preparations.values[name])
    return text


def _execute(command: Command, text: str, entry: RunEntry, preparations: Preparations) -> str:
    """Run a command, and return its output."""
    if entry.ready:
        preparations.installation.start(text, entry.ready)
        return ""
    if command.language == "sql":
        return preparations.installation.query(text)
    return preparations.shell.run(text, entry.answer)


def _check_output(entry: RunEntry, preparations: Preparations) -> None:
    pattern = entry.prints.replace("{url}", re.escape(preparations.installation.url))
    if not re.search(pattern, preparations.output):
        raise GuideFault(f"{pattern!r} does not match the output:\n{preparations.output}")


if __name__ == "__main__":
    main()
