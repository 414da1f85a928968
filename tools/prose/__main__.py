"""Check the prose of the repository: `python -m tools.prose [AREA…]`."""

import sys

from tools.prose.areas import AREAS, check, list_files


def main(areas: list[str]) -> int:
    """Print the findings of the areas, by default of all, and return the exit code."""
    if unknown := [area for area in areas if area not in AREAS]:
        print(f"Unknown area: {', '.join(unknown)}. Choose from {', '.join(AREAS)}.")
        return 2
    files = list_files()
    paths = [path for area in areas or AREAS for path in files[area]]
    findings = check(paths)
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings in {len(paths)} files")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
