"""Check the rules of this package: `python -m tools.lint`, a part of `make lint`."""

import sys
from pathlib import Path

from tools.lint.untrusted_folders import check_repository

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Print the findings, and return the exit code."""
    findings = check_repository(ROOT)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
