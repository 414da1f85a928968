"""Check the subjects of commits: imperative, at most 72 characters, and no list.

`python -m tools.prose.commits` checks the commits since `_BASE`. Commits up to it predate the rule.
"""

import subprocess
import sys
from pathlib import Path

from backend.core.config import ROOT

_BASE = "11b9fc3444ba"
_LONGEST = 72
_IMPERATIVES = frozenset(Path(__file__).with_name("imperatives.txt").read_text().split())


def find_faults(subject: str) -> list[str]:
    """Return what is wrong with a commit's subject, an empty list if nothing is."""
    faults = []
    if len(subject) > _LONGEST:
        faults.append(f"has {len(subject)} characters; the limit is {_LONGEST}")
    words = subject.split()
    if not words or words[0].rstrip(",") not in _IMPERATIVES:
        faults.append(
            "does not begin with an imperative verb. If it does, add the verb to "
            "tools/prose/imperatives.txt"
        )
    if subject.endswith("."):
        faults.append("ends with a full stop")
    if ";" in subject:
        faults.append("is a list. Name the change, and put the rest into the body")
    return faults


def list_subjects(repository: Path, base: str) -> list[tuple[str, str]]:
    """Return the short hash and the subject of each commit after a base, merges left out."""
    log = subprocess.run(
        ["git", "log", "--no-merges", "--format=%h %s", f"{base}..HEAD"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    if log.returncode != 0:
        raise LookupError(
            f"Commit {base} is not in this clone. Fetch the whole history: git fetch --unshallow"
        )
    lines = (line.partition(" ") for line in log.stdout.splitlines())
    return [(short_hash, subject) for short_hash, _, subject in lines]


def main(repository: Path = ROOT, base: str = _BASE) -> int:
    """Print the faults of all subjects after the base and return the exit code."""
    try:
        subjects = list_subjects(repository, base)
    except LookupError as error:
        print(error)
        return 2
    faults = [
        f"{short_hash} {subject!r} {fault}."
        for short_hash, subject in subjects
        for fault in find_faults(subject)
    ]
    print("\n".join([*faults, f"{len(faults)} faults in {len(subjects)} commit subjects"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
